// Merges one tree over another.

#pragma once

#include "base/diagnostics.hpp"
#include "base/value.hpp"

#include <string>

namespace ptp::experiment {

// Merges `upper` into `lower`. Tables merge key by key, but a table with another `type` replaces
// the lower one as a whole: an Adam's betas are not options of SGD. Everything else replaces, so
// that a key which may be a value or a table can change its form; its type is checked where it is
// read. A table over a text with a variable, or the reverse, is an error that names both places,
// and the lower value stays: the variable may be a table, which would have to be merged. `path`
// names the tables in messages.
void merge(Value& lower, const Value& upper, const std::string& path, Diagnostics& problems);

// Returns whether one value may replace the other if they do not merge.
bool may_replace(const Value& lower, const Value& upper);

}  // namespace ptp::experiment
