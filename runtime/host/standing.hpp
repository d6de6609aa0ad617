// The point of a training that its checkpoint holds, and the checks of a resume before anything of
// the run is touched.

#pragma once

#include "base/diagnostics.hpp"
#include "base/explanation.hpp"
#include "host/run_stages.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace ptp::host {

// The point of the training that its checkpoint holds.
struct Standing {
    std::int64_t episodes = 0;
    std::int64_t epochs = 0;   // that are whole
    std::int64_t batches = 0;  // of the next one
    double seconds = 0;        // of training, where a limit of time counts them
    std::string status;        // "not_converged", "diverged", ...
    std::int64_t validations_without_gain = 0;
    double last_loss = 0;
    bool is_cut = false;             // a limit cut its last epoch short, which a resume continues
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

// Returns the options with which a run that has ended is trained longer: a --set for each condition
// that would end it again at once.
std::string options_to_train_longer(const RunStages& stages, const Standing& standing);

// Reports changes of the training in the last stage that no episode would follow.
void check_changes(const RunStages& stages, const Standing& standing, Diagnostics& problems);

// Returns whether the training has diverged and stays diverged in the last stage: a change of
// anything else but of what counts as diverged comes too late.
bool stays_diverged(const RunStages& stages, const Standing& standing);

// Explains that, with what can be done; `reason` is the reason in the run's status.
Explanation why_diverged(const std::filesystem::path& run, const RunStages& stages,
                         const Standing& standing, const std::string& reason);

}  // namespace ptp::host
