// Where plugins are looked for, and where packages with plugins are installed: the one place that
// names these folders. A search takes the *.so files that lie directly in a folder, and links to
// such files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::plugin {

// In the order in which they are searched.
enum class FolderOrigin : std::int32_t {
    kCommandLine = 1,
    kEnvironment,
    kExperiment,
    kUser,
    kSystem,
    kInstallation
};

// "--plugins", "PTP_PLUGIN_PATH", "[plugins] path", "plugins of this user", "plugins of this
// machine", "plugins that come with ptp".
std::string_view to_string(FolderOrigin origin);

struct SearchPath {
    std::vector<std::filesystem::path> command_line;  // --plugins, in order
    std::string environment;  // PTP_PLUGIN_PATH, with ':' between (Windows: ';')
    std::vector<std::filesystem::path> experiment;  // [plugins] path, absolute
    std::filesystem::path user = {};                // user_folder(); empty: none
    std::filesystem::path executable;               // of the running program; empty: none
};

// As the environment of this process has it, with these folders of the command line and of an
// experiment. [main]
SearchPath search_path_here(const std::vector<std::filesystem::path>& command_line,
                            const std::vector<std::filesystem::path>& experiment = {});

struct SearchFolder {
    std::filesystem::path path;
    FolderOrigin origin = FolderOrigin::kCommandLine;
    bool is_searched = true;  // false: one that is searched by default, and that does not exist

    bool operator==(const SearchFolder&) const = default;
};

// All folders in order of preference, each once, at its first place. Behind a folder that is
// searched by default are those of its packages.
std::vector<SearchFolder> named_folders(const SearchPath& path);

// Those of them to scan: folders that are searched by default are left out if they do not exist.
std::vector<std::filesystem::path> search_folders(const SearchPath& path);

// The plugins of one user, searched by every ptp: ptp/plugins below XDG_DATA_HOME, which counts
// only as an absolute path, or else below HOME/.local/share. Empty where neither is known. On
// Windows below LOCALAPPDATA.
std::filesystem::path user_folder(std::string_view xdg_data_home,
                                  const std::filesystem::path& home);
// As the environment of this process has it. [main]
std::filesystem::path user_folder();

// The plugins of one machine, beside those that come with a ptp that Debian's package installs in
// /usr: /usr/local/lib/ptp/plugins. Of any other ptp its own folder. Empty without an executable.
std::filesystem::path system_folder(const std::filesystem::path& executable);

// The plugins that come with ptp: ../lib/ptp/plugins beside the executable. Empty without one.
std::filesystem::path installation_folder(const std::filesystem::path& executable);

// Where ptp-pack installs packages that belong to a folder of plugins: `packages` beside it, a
// folder for each package. Empty for an empty path.
std::filesystem::path packages_folder(const std::filesystem::path& plugins);

// In the folder of a package: its plugins.
inline constexpr const char* kPackagePlugins = "plugins";

// The folders of the plugins of all packages there, by the names of the packages. What is just
// being installed or removed has another name than a package can have, and is none of them.
std::vector<std::filesystem::path> package_plugin_folders(const std::filesystem::path& plugins);

// The path of the running program; empty where the system does not report it.
std::filesystem::path executable_path();

}  // namespace ptp::plugin
