// The command that trains anew with values of --set that a resume refuses.

#pragma once

#include "base/explanation.hpp"
#include "experiment/experiment.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ptp::host {

// A value of --set, as it was given and as the experiment takes it.
struct TakenValue {
    std::string given;
    std::string taken;
};

struct TakenValues {
    std::vector<TakenValue> values;  // of one that was given several, if its key means several
    std::optional<experiment::Experiment> experiment;  // nullopt: it does not take them all
};

// Reads the experiment of a run with the values. One that is refused is replaced by what its
// refusal proposes, such as a table for judge = "accuracy", and a type alone by its table.
TakenValues taken_values(const std::filesystem::path& run, const std::vector<std::string>& values);

// Returns the command that begins a training of the run's experiment with the weights of one of its
// checkpoints, a folder: also of components that the experiment loads from elsewhere.
std::string begin_with(const std::filesystem::path& run, const std::filesystem::path& checkpoint);

// Returns the command that trains with the values from the start, from the weights of the run
// unless they may belong to another pipeline; the reason of it is "a training anew can".
Explanation train_anew(const std::filesystem::path& run, const std::vector<std::string>& refused,
                       const std::vector<TakenValue>& values);

}  // namespace ptp::host
