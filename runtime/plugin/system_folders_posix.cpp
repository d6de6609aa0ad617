#include "plugin/system_folders.hpp"

#include "plugin/search_path.hpp"

#include <system_error>

namespace ptp::plugin {

namespace fs = std::filesystem;

char path_list_separator() {
    return ':';
}

fs::path user_folder() {
    return user_folder(environment_text("XDG_DATA_HOME"), environment_text("HOME"));
}

fs::path system_folder(const fs::path& executable) {
    return executable.parent_path() == "/usr/bin" ? fs::path("/usr/local") / kBelowPrefix
                                                  : installation_folder(executable);
}

fs::path executable_path() {
    std::error_code error;
    return fs::read_symlink("/proc/self/exe", error);
}

}  // namespace ptp::plugin
