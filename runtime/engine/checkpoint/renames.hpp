// Other names for the tensors of a file.

#pragma once

#include "engine/checkpoint/fit.hpp"
#include "engine/checkpoint/read_weights.hpp"
#include "experiment/experiment.hpp"

#include <string>
#include <vector>

namespace ptp::engine {

// What is wrong with renames: one that no name begins with, and names that become one.
using RenameProblems = std::vector<std::string>;

// Of all renames that a name begins with the longest counts; each name is renamed once.
RenameProblems rename(Share& share, const std::vector<experiment::Rename>& renames);
RenameProblems rename(SavedWeights& saved, const std::vector<experiment::Rename>& renames);

}  // namespace ptp::engine
