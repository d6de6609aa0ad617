// Lists the keys that an experiment could have.

#pragma once

#include "base/value.hpp"
#include "schema/key_record.hpp"

#include <string>
#include <vector>

namespace ptp::experiment {

// Returns all keys that an experiment with this tree could have: missing tables are read as if they
// were present and empty. `default_name` is as in ReadOptions.
schema::KeyRecord possible_keys(const Value& root, const std::string& default_name = "");

// Returns the keys of a table of [pipeline] with `try`.
std::vector<schema::Key> try_keys();

}  // namespace ptp::experiment
