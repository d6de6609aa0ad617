// Reads the table [search].

#pragma once

#include "base/value.hpp"
#include "experiment/fields.hpp"
#include "experiment/searching.hpp"

#include <string>

namespace ptp::experiment {

void read_searching(const Scope& scope, Searching& searching);
Value tree_of(const Searching& searching);

// Returns the path of a key's range in messages: "search.space.\"training.optimizer.lr\"".
std::string range_path(const std::string& key);

}  // namespace ptp::experiment
