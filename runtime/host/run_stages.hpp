// How the experiment of a run came to be what it is: as the run began with it, and after each
// `ptprun resume --set`, which its journal records.

#pragma once

#include "base/diagnostics.hpp"
#include "experiment/experiment.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace ptp::host {

struct RunStages {
    std::filesystem::path file;                       // what the run began with
    std::vector<std::string> values;                  // KEY=VALUE of all changes
    std::vector<experiment::Experiment> experiments;  // one for each stage
};

// Reads them, with one more for `new_values` if there are any. Reports values that a run may not
// change, and an experiment.toml that is not a stage. What is wrong with the first experiment, or
// with the new values themselves, is reported by the caller that loads the file with the values.
// Throws RunError for a broken journal.
RunStages stages_of(const std::filesystem::path& run, const std::vector<std::string>& new_values,
                    Diagnostics& problems);

}  // namespace ptp::host
