// Lists runs for other programs.

#pragma once

#include "base/json.hpp"
#include "run/run.hpp"

#include <vector>

namespace ptp::runs {

// Returns an array with an object per run: run, state, reason, exit_code, experiment, episode,
// epoch, seconds, began, ended, best, last, settings (those that differ), trial, tags, note,
// problem. Unknown values are null.
Json listing_of(const std::vector<run::Run>& runs);

}  // namespace ptp::runs
