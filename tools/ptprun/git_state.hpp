// In which state of a git repository something was done.

#pragma once

#include "engine/request.hpp"

#include <filesystem>

namespace ptp::ptprun {

// Of the repository that holds a file. Executes nothing that the repository configures, and returns
// up after two seconds: what was not read by then is unknown, with the reason.
engine::GitState git_state(const std::filesystem::path& file);

}  // namespace ptp::ptprun
