// The table [search].

#pragma once

#include "base/value.hpp"
#include "experiment/fields.hpp"
#include "experiment/searching.hpp"

#include <string>

namespace ptp::experiment {

void read_searching(const Scope& scope, Searching& searching);
Value tree_of(const Searching& searching);

// Where messages find the range of a key: "search.space.\"training.optimizer.lr\"".
std::string range_path(const std::string& key);

}  // namespace ptp::experiment
