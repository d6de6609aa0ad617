// Other names for the tensors of a file.

#pragma once

#include "engine/checkpoint/fit.hpp"
#include "engine/checkpoint/read_weights.hpp"
#include "experiment/experiment.hpp"

#include <optional>
#include <string>
#include <vector>

namespace ptp::engine {

// What is wrong with renames: one that no name begins with, and names that become one.
using RenameProblems = std::vector<std::string>;

// Of all renames that a name begins with the longest counts; each name is renamed once.
RenameProblems rename(Share& share, const std::vector<experiment::Rename>& renames);
RenameProblems rename(SavedWeights& saved, const std::vector<experiment::Rename>& renames);

// `rename = { "0." = "layers.0." }` where that makes all that does not fit fit: layers without a
// counterpart are taken in their order, each with the next one that has tensors of the same names
// and shapes. nullopt where it is not as easy.
std::optional<std::string> suggest_renames(const Share& share, const Target& target);

}  // namespace ptp::engine
