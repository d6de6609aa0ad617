// The command line of ptp-new.
#pragma once

#include <filesystem>
#include <string>

namespace ptp::newplugin {

struct Options {
    std::string kind;                // "loss"
    std::string name;                // of the plugin: "my_loss"
    std::string type;                // of the component: "MyLoss"
    std::string license;             // SPDX; "" for none
    std::string author = {};         // "" if unknown
    std::string homepage = {};       // "" if unknown
    std::filesystem::path into;      // the project's folder, absolute
    std::filesystem::path as_given;  // the same, as the user wrote it
    bool wants_help = false;
    bool wants_version = false;
};

// Throws tools::UsageError.
Options parse_options(int argc, char** argv);

std::string usage();

}  // namespace ptp::newplugin
