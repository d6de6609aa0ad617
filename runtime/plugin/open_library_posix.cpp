#include "plugin/open_library.hpp"

#include "base/explanation.hpp"
#include "base/file_error.hpp"
#include "plugin/open.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string>
#include <system_error>

namespace ptp::plugin {

namespace {

namespace dll = boost::dll;

// Boost.DLL passes the mode on to dlopen() as it is. RTLD_NODELETE makes its unloading do nothing:
// objects and tensors that a plugin made may still point into it.
constexpr auto kMode = static_cast<dll::load_mode::type>(
    static_cast<unsigned>(dll::load_mode::rtld_now) |
    static_cast<unsigned>(dll::load_mode::rtld_local) | RTLD_NODELETE);

// The loader reports the system's reason only as text.
bool is_for_lack(const std::string& reason) {
    return std::ranges::any_of(std::array{EMFILE, ENFILE, ENOMEM}, [&](int code) {
        return reason.ends_with(std::generic_category().message(code));
    });
}

}  // namespace

dll::shared_library open_library(const std::filesystem::path& path) {
    dll::fs::error_code error;
    dll::shared_library library(path.native(), error, kMode);
    if (!library.is_loaded()) {
        const char* const reason = ::dlerror();
        std::string text = reason != nullptr ? reason : error.message();
        // The system's message begins with the path, which the caller's message has already.
        const std::string prefix = path.native() + ": ";
        if (text.starts_with(prefix)) {
            text.erase(0, prefix.size());
        }
        text.insert(0, "cannot be opened: ");
        if (is_for_lack(text)) {
            throw ResourceError(text);
        }
        if (text.ends_with("cannot open shared object file: No such file or directory")) {
            throw WithFix<OpenError>(
                {text,
                 "install what has this library, link it statically, or put it beside the "
                 "plugin, with the run path $ORIGIN"});
        }
        throw OpenError(text);
    }
    return library;
}

std::filesystem::path loaded_library(const std::string& name) {
    void* const library = ::dlopen(name.c_str(), RTLD_LAZY | RTLD_NOLOAD);
    link_map* facts = nullptr;
    if (library == nullptr || ::dlinfo(library, RTLD_DI_LINKMAP, &facts) != 0) {
        return {};
    }
    std::filesystem::path file = facts->l_name;
    ::dlclose(library);
    return file;
}

bool system_has_library(const std::string& name) {
    return ::dlopen(name.c_str(), RTLD_LAZY | RTLD_LOCAL) != nullptr;
}

}  // namespace ptp::plugin
