// Advice on what to write instead of a value of the wrong type; each is a fix, or "".

#pragma once

#include "base/value.hpp"

#include <string>

namespace ptp::schema {

// Returns the advice on a string that contains a value of the wanted type, as in lr = "0.001".
std::string advice_on_quotes(const Value& value, bool (Value::*is_wanted)() const);

// Returns the advice on a number in place of a span of time, as in wall_time = 90.
std::string advice_on_duration(const Value& value);

}  // namespace ptp::schema
