// The files and folders that must be there before a run can begin.

#pragma once

#include "base/diagnostics.hpp"
#include "experiment/experiment.hpp"
#include "pipeline/wiring.hpp"

#include <string>
#include <vector>

namespace ptp::pipeline {

// Reports, as missing data, the paths in settings that declare how to obtain what they name. Of
// the tasks only the `processed` sections count, or all if none is named.
void check_setting_files(const Assembly& assembly, const std::vector<std::string>& processed,
                         Diagnostics& problems);

// Reports, as missing data, the weights of `load`.
void check_loaded_files(const experiment::Experiment& experiment, Diagnostics& problems);

}  // namespace ptp::pipeline
