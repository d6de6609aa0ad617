// What the live line of a training shows.

#pragma once

#include "engine/console/progress.hpp"
#include "engine/train/session.hpp"

#include <cstddef>
#include <optional>
#include <string>

namespace ptp::engine {

// The column that is shown beside the loss: the one with a name, or the first one. Throws RunError
// for an unknown name.
std::optional<std::size_t> statistic_to_show(const Statistics& statistics, const std::string& name);

ProgressSetup progress_setup(const Session& session, std::optional<std::size_t> statistic);

}  // namespace ptp::engine
