// Which keys an experiment could have.

#pragma once

#include "base/value.hpp"
#include "schema/key_record.hpp"

#include <string>

namespace ptp::experiment {

// All keys that an experiment with this tree could have: tables that it lacks are read as if they
// were there and empty. `default_name` is as in ReadOptions.
schema::KeyRecord possible_keys(const Value& root, const std::string& default_name = "");

}  // namespace ptp::experiment
