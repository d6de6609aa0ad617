// The files of a new project, from the templates.
#pragma once

#include "options.hpp"

#include <filesystem>

namespace ptp::newplugin {

// Beside the executable: ../share/ptp/template. Throws RunError if it is not there.
std::filesystem::path template_folder(const std::filesystem::path& executable);

// Writes the project whole or not at all. Throws RunError; with kConfigurationError if the folder
// exists.
void make_project(const Options& options, const std::filesystem::path& templates);

}  // namespace ptp::newplugin
