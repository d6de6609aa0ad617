// The stages of a run's experiment, at its start and after each `ptprun resume --set`, which its
// journal records.

#pragma once

#include "base/diagnostics.hpp"
#include "experiment/experiment.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ptp::host {

struct RunStages {
    std::filesystem::path file;                       // the experiment at the start
    std::vector<std::string> values;                  // KEY=VALUE of all changes
    std::vector<experiment::Experiment> experiments;  // one for each stage
};

// Reads them, with one more for `new_values` if there are any. Reports values that a run may not
// change, and an experiment.toml that is not a stage. Problems of the first experiment, or of the
// new values themselves, are reported by the caller that loads the file with the values. Changes
// after `until` episodes are left out. Throws RunError for a broken journal.
RunStages stages_of(const std::filesystem::path& run, const std::vector<std::string>& new_values,
                    Diagnostics& problems, std::optional<std::uint64_t> until = std::nullopt);

// Returns the record of a run's experiment that is not as the run wrote it, such as after an edit
// by hand; nullopt if there is none, or if that is not known.
std::optional<std::filesystem::path> changed_experiment(const std::filesystem::path& run);

}  // namespace ptp::host
