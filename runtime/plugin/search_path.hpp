// Where plugins are looked for.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ptp::plugin {

struct SearchPath {
    std::vector<std::filesystem::path> command_line;  // --plugins, in order
    std::string environment;                          // PTP_PLUGIN_PATH, a list with ':' between
    std::vector<std::filesystem::path> experiment;    // [plugins] path, absolute
    std::filesystem::path executable;                 // of the running program
};

// The folders to scan in order of preference, each once: the command line's, the environment's, the
// experiment's, and at last the installation's, ../lib/ptp/plugins beside the executable. The last
// is left out if it does not exist: a host without plugins of its own is not a mistake.
std::vector<std::filesystem::path> search_folders(const SearchPath& path);

// The path of the running program; empty where the system does not report it.
std::filesystem::path executable_path();

}  // namespace ptp::plugin
