// The folders that are searched for plugins, and those where packages with plugins are installed.
// Only this file names them. A search considers the *.so files directly in a folder, and links to
// such files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::plugin {

// The origins of folders, in the order of the search.
enum class FolderOrigin : std::int32_t {
    kCommandLine = 1,
    kEnvironment,
    kExperiment,
    kUser,
    kSystem,
    kInstallation
};

// Returns "--plugins", "PTP_PLUGIN_PATH", "[plugins] path", "plugins of this user", "plugins of
// this machine" or "plugins that come with ptp".
std::string_view to_string(FolderOrigin origin);

struct SearchPath {
    std::vector<std::filesystem::path> command_line;  // --plugins, in order
    std::string environment;  // PTP_PLUGIN_PATH, separated by ':' (Windows: ';')
    std::vector<std::filesystem::path> experiment;  // [plugins] path, absolute
    std::filesystem::path user = {};                // user_folder(); empty: none
    std::filesystem::path executable;               // path of the running program; empty: none
};

// Returns the path for the environment of this process, with these folders of the command line and
// of an experiment. [main]
SearchPath search_path_here(const std::vector<std::filesystem::path>& command_line,
                            const std::vector<std::filesystem::path>& experiment = {});

struct SearchFolder {
    std::filesystem::path path;
    FolderOrigin origin = FolderOrigin::kCommandLine;
    bool is_searched = true;  // false: a default folder that does not exist

    bool operator==(const SearchFolder&) const = default;
};

// Returns all folders in order of preference, each once, at its first position. The folders of its
// packages follow a default folder.
std::vector<SearchFolder> named_folders(const SearchPath& path);

// Returns the folders to scan: default folders that do not exist are omitted.
std::vector<std::filesystem::path> search_folders(const SearchPath& path);

// Returns the folder for the plugins of one user, searched by every ptp: ptp/plugins below
// XDG_DATA_HOME, if that is an absolute path, or else below HOME/.local/share. Empty if neither is
// known. On Windows it is below LOCALAPPDATA.
std::filesystem::path user_folder(std::string_view xdg_data_home,
                                  const std::filesystem::path& home);
// Returns the folder for the environment of this process. [main]
std::filesystem::path user_folder();

// Returns the folder for the plugins of one machine: /usr/local/lib/ptp/plugins for a ptp from
// Debian's package in /usr, and the installation's own folder for any other. Empty without an
// executable.
std::filesystem::path system_folder(const std::filesystem::path& executable);

// Returns the folder of the plugins that come with ptp: ../lib/ptp/plugins relative to the
// executable. Empty without one.
std::filesystem::path installation_folder(const std::filesystem::path& executable);

// Returns the folder where ptp-pack installs packages that belong to a folder of plugins:
// `packages` beside it, with a folder for each package. Empty for an empty path.
std::filesystem::path packages_folder(const std::filesystem::path& plugins);

// The folder of the plugins within a package.
inline constexpr const char* kPackagePlugins = "plugins";

// Returns the folders of the plugins of all packages there, by the names of the packages. Packages
// that are being installed or removed have invalid names and are ignored.
std::vector<std::filesystem::path> package_plugin_folders(const std::filesystem::path& plugins);

// Returns the path of the running program; empty if the system does not report it.
std::filesystem::path executable_path();

inline constexpr const char* kBelowData = "ptp/plugins";
inline constexpr const char* kBelowPrefix = "lib/ptp/plugins";

// Returns the separator of folders in a list: ':'.
char path_list_separator();

// Returns the value of an environment variable; "" if it is not set. [main]
std::string environment_text(const char* name);

// Returns whether plugins of this name come with ptp.
bool is_first_party_name(std::string_view plugin);

// Returns whether a file is the plugin of this name that came with the ptp in this folder, or an
// identical copy, such as those in runs.
bool is_first_party(std::string_view plugin, const std::filesystem::path& file,
                    const std::filesystem::path& installation_folder);

}  // namespace ptp::plugin
