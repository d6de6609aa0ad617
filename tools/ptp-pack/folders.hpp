// Where this program looks and writes, for one user and for the machine.

#pragma once

#include <filesystem>

namespace ptp::pack {

struct Folders {
    std::filesystem::path user_config;      // XDG_CONFIG_HOME/ptp, or HOME/.config/ptp
    std::filesystem::path system_config;    // /etc/ptp
    std::filesystem::path state;            // XDG_STATE_HOME/ptp, or HOME/.local/state/ptp
    std::filesystem::path user_packages;    // what ptprun searches: plugin/search_path.hpp
    std::filesystem::path system_packages;  // the same
};

// As the environment of this process has it; a path that is not known is empty. [main]
Folders folders_here();

// `name` below this folder; empty if the folder is, so that no file of the current folder is taken
// for one of the user's.
std::filesystem::path below(const std::filesystem::path& folder, const std::filesystem::path& name);

// Whether nothing has this name. A link to nothing, and what cannot be looked at, are there:
// reading them reports the reason.
bool is_absent(const std::filesystem::path& path);

// Of each of the two configurations.
inline constexpr const char* kTrustedKeysFolder = "trusted_keys";
inline constexpr const char* kDistrustedKeysFolder = "distrusted_keys";
inline constexpr const char* kRepositoriesFile = "repositories.toml";

}  // namespace ptp::pack
