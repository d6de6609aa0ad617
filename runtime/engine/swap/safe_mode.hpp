// What a run in safe mode loads later: builds that are swapped in, and those of a checkpoint.

#pragma once

#include "base/explanation.hpp"
#include "plugin/staging.hpp"

#include <optional>

namespace ptp::engine {

// Why a run in safe mode does not take the file; nullopt: it comes with ptp.
std::optional<Explanation> refuse_origin(const plugin::Staged& staged);

}  // namespace ptp::engine
