// The origin of a run's weights: which bits they are, what they began with, which processes trained
// them.
#pragma once

#include "base/json.hpp"
#include "run/record.hpp"
#include "run/run.hpp"

#include <optional>

namespace ptp::report {

// Returns the section `origin` of a run. What cannot be read is left out: other sections report
// damaged records.
Json origin_section(const run::Run& run, const std::optional<run::Record>& record);

}  // namespace ptp::report
