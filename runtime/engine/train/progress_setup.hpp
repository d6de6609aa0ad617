// The content of a training's live line.

#pragma once

#include "engine/output/progress.hpp"
#include "engine/train/session.hpp"

#include <cstddef>
#include <optional>
#include <string>

namespace ptp::engine {

// Returns the column shown beside the loss: the one with this name, or the first one. Throws
// RunError for an unknown name.
std::optional<std::size_t> statistic_to_show(const Statistics& statistics, const std::string& name);

ProgressSetup progress_setup(const Session& session, std::optional<std::size_t> statistic);

}  // namespace ptp::engine
