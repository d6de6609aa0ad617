// Other names for the tensors of a file.

#pragma once

#include "engine/checkpoint/fit.hpp"
#include "engine/checkpoint/read_weights.hpp"
#include "experiment/experiment.hpp"

#include <string>
#include <vector>

namespace ptp::engine {

// Problems with renames: one that no name begins with, and names that become equal.
using RenameProblems = std::vector<std::string>;

// Renames each name once, by the longest of the renames that it begins with.
RenameProblems rename(Share& share, const std::vector<experiment::Rename>& renames);
RenameProblems rename(SavedWeights& saved, const std::vector<experiment::Rename>& renames);

}  // namespace ptp::engine
