// The folders of this program, for one user and for the machine.

#pragma once

#include <filesystem>

namespace ptp::pack {

struct Folders {
    std::filesystem::path user_config;      // XDG_CONFIG_HOME/ptp, or HOME/.config/ptp
    std::filesystem::path system_config;    // /etc/ptp
    std::filesystem::path state;            // XDG_STATE_HOME/ptp, or HOME/.local/state/ptp
    std::filesystem::path user_packages;    // searched by ptprun: plugin/search_path.hpp
    std::filesystem::path system_packages;  // searched too
};

// Returns the folders for the environment of this process; an unknown path is empty. [main]
Folders folders_here();

// Returns `name` below this folder; empty if the folder is empty, so that no file of the current
// folder is mistaken for the user's.
std::filesystem::path below(const std::filesystem::path& folder, const std::filesystem::path& name);

// Returns whether nothing has this name. A dangling link and an inaccessible path exist: reading
// them reports the reason.
bool is_absent(const std::filesystem::path& path);

// Names within each of the two configurations.
inline constexpr const char* kTrustedKeysFolder = "trusted_keys";
inline constexpr const char* kDistrustedKeysFolder = "distrusted_keys";
inline constexpr const char* kRepositoriesFile = "repositories.toml";

}  // namespace ptp::pack
