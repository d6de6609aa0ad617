// The form of a saved state that is sent to another process.

#pragma once

#include "engine/component/saved_state.hpp"

#include <string>

namespace ptp::engine {

// Pack and unpack a state. Unpacking throws RunError (kDataError) for anything that packed_state()
// of the same build has not returned.
std::string packed_state(const SavedState& state);
SavedState unpacked_state(const std::string& packed);

}  // namespace ptp::engine
