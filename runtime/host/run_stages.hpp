// The stages of a run's experiment, at its start and after each `ptprun resume --set`, which its
// journal records, and the checks of a resume before anything of the run is touched.

#pragma once

#include "base/diagnostics.hpp"
#include "base/explanation.hpp"
#include "experiment/experiment.hpp"

#include <cstddef>
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

// The point of the training that its checkpoint holds.
struct Standing {
    std::int64_t episodes = 0;
    std::int64_t epochs = 0;         // that are whole
    std::int64_t batches = 0;        // of the next one
    std::string status;              // "not_converged", "diverged", ...
    bool is_far_off = false;         // its last loss counts as diverged
    std::size_t stage = 0;           // of the run's experiment
    std::uint64_t entries_seen = 0;  // of the journal
};

// Returns the position of the training at a checkpoint; nullopt if the checkpoint does not record
// it: the engine reports what is wrong with a checkpoint.
std::optional<Standing> standing_at(const std::filesystem::path& run,
                                    const std::filesystem::path& checkpoint);

// Reports, for the last stage, limits that are below what has been done already.
void check_limits(const RunStages& stages, const Standing& standing, Diagnostics& problems);

// Reports changes of the training in the last stage that no episode would follow.
void check_changes(const RunStages& stages, const Standing& standing, Diagnostics& problems);

// Returns whether the training has diverged and stays diverged in the last stage: a change of
// anything else but of what counts as diverged comes too late.
bool stays_diverged(const RunStages& stages, const Standing& standing);

// Explains that, with what can be done; `reason` is the reason in the run's status.
Explanation why_diverged(const std::filesystem::path& run, const RunStages& stages,
                         const Standing& standing, const std::string& reason);

}  // namespace ptp::host
