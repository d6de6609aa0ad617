// Gives each input of a target's corpus to it.
#pragma once

#include "fuzz/targets.hpp"

namespace ptp::fuzz {

// Fails if there is no corpus.
void replay(const Target& target);

}  // namespace ptp::fuzz
