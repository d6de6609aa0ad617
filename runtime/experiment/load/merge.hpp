// Lays one tree over another.

#pragma once

#include "base/diagnostics.hpp"
#include "base/value.hpp"

#include <string>

namespace ptp::experiment {

// Tables merge key by key, but one with another `type` replaces the one below it as a whole: an
// Adam's betas are not options of SGD. Everything else replaces. A table over something else, or
// the reverse, is an error that names both places, and the lower value stays, but for the string
// "none", which means no table. `path` is what the tables are called.
void merge(Value& lower, const Value& upper, const std::string& path, Diagnostics& problems);

}  // namespace ptp::experiment
