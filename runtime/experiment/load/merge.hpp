// Lays one tree over another.

#pragma once

#include "base/diagnostics.hpp"
#include "base/value.hpp"

#include <string>

namespace ptp::experiment {

// Tables merge key by key, but one with another `type` replaces the one below it as a whole: an
// Adam's betas are not options of SGD. Everything else replaces, so that a key which may be a value
// or a table can change its form; what a key may be is checked where it is read. A table over a
// text with a variable, or the reverse, is an error that names both places, and the lower value
// stays: the variable may be a table that it would have to merge with. `path` is what the tables
// are called.
void merge(Value& lower, const Value& upper, const std::string& path, Diagnostics& problems);

// Whether one value may take the place of the other, where they do not merge.
bool may_replace(const Value& lower, const Value& upper);

}  // namespace ptp::experiment
