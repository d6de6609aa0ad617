#include "support/system_library.hpp"

#include <dlfcn.h>
#include <link.h>

#include <stdexcept>

namespace ptp::test {

std::string system_library(const char* name) {
    void* const library = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
    link_map* map = nullptr;
    if (library == nullptr || dlinfo(library, RTLD_DI_LINKMAP, static_cast<void*>(&map)) != 0) {
        throw std::runtime_error(std::string("not a library of this system: ") + name);
    }
    std::string path = map->l_name;
    dlclose(library);
    return path;
}

}  // namespace ptp::test
