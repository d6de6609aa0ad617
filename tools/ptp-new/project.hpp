// Creates the files of a new project from the templates.
#pragma once

#include "options.hpp"

#include <filesystem>

namespace ptp::newplugin {

// Returns ../share/ptp/template, relative to the executable. Throws RunError if it does not exist.
std::filesystem::path template_folder(const std::filesystem::path& executable);

// Writes the project completely or not at all. Throws RunError; with kConfigurationError if the
// folder exists.
void make_project(const Options& options, const std::filesystem::path& templates);

}  // namespace ptp::newplugin
