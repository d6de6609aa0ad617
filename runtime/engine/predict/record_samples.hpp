// The samples that a bundle stores with what its components computed of them.

#pragma once

#include "engine/samples_request.hpp"

#include <cstdint>

namespace ptp::engine {

// Writes the first samples of a section as its task delivers them, and what the components compute
// of them. Returns their number. Throws RunError, also where there is nothing to compare. [main],
// once in a process.
std::int64_t record_samples(const SamplesRequest& request);

}  // namespace ptp::engine
