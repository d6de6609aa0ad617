// What to write instead of a value of the wrong type; each is a fix, or "".

#pragma once

#include "base/value.hpp"

#include <string>

namespace ptp::schema {

// Of a string that holds a value of the type that is wanted, as in lr = "0.001".
std::string advice_on_quotes(const Value& value, bool (Value::*is_wanted)() const);

// Of a number where a span of time is wanted, as in wall_time = 90.
std::string advice_on_duration(const Value& value);

}  // namespace ptp::schema
