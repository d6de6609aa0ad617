// Creates the files of a new project from the templates.
#pragma once

#include "common/command.hpp"

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
};

// Returns ../share/ptp/template, relative to the executable. Throws RunError if it does not exist.
std::filesystem::path template_folder(const std::filesystem::path& executable);

// Writes the project completely or not at all. Throws RunError; with kConfigurationError if the
// folder exists.
void make_project(const Options& options, const std::filesystem::path& templates);

// Throws tools::UsageError.
Options options_from(const tools::Given& given);

tools::Command new_command(int (*run)(const tools::Given&));

}  // namespace ptp::newplugin
