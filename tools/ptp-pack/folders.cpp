#include "ptp-pack/folders.hpp"

#include "plugin/search_path.hpp"

#include <cstdlib>
#include <system_error>

namespace ptp::pack {

namespace {

namespace fs = std::filesystem;

// Returns a folder; variables with relative paths are ignored, as specified by XDG.
fs::path folder_of(const char* variable, const char* below_home) {
    const char* const own = std::getenv(variable);
    if (own != nullptr && fs::path(own).is_absolute()) {
        return fs::path(own) / "ptp";
    }
    const char* const home = std::getenv("HOME");
    return home != nullptr && fs::path(home).is_absolute() ? fs::path(home) / below_home / "ptp"
                                                           : fs::path();
}

}  // namespace

Folders folders_here() {
    return {.user_config = folder_of("XDG_CONFIG_HOME", ".config"),
            .system_config = "/etc/ptp",
            .state = folder_of("XDG_STATE_HOME", ".local/state"),
            .user_packages = plugin::packages_folder(plugin::user_folder()),
            .system_packages =
                plugin::packages_folder(plugin::system_folder(plugin::executable_path()))};
}

fs::path below(const fs::path& folder, const fs::path& name) {
    return folder.empty() ? fs::path() : folder / name;
}

bool is_absent(const fs::path& path) {
    std::error_code error;
    return fs::symlink_status(path, error).type() == fs::file_type::not_found;
}

}  // namespace ptp::pack
