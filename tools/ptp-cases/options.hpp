// The command line of ptp-cases.

#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ptp::cases {

struct Options {
    std::vector<std::filesystem::path> plugins;         // files, absolute
    std::vector<std::filesystem::path> plugin_folders;  // absolute
    std::vector<std::string> files;                     // files with cases
    std::string device = "cpu";                         // or "cuda:0"
    bool wants_help = false;
    bool wants_version = false;
};

// Throws tools::UsageError.
Options parse_options(int argc, char** argv);

std::string usage();

}  // namespace ptp::cases
