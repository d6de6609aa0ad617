// Reads many numbers from a list, a text, or a file.

#pragma once

#include "schema/fields.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace ptp::schema {

// Reads [1, 2], "1, 2", or the name of a file with numbers that are separated by commas, on any
// number of lines. Negative and infinite numbers are rejected. Reports errors, in a file with the
// line, and returns nullopt. Instantiated for std::int64_t and double.
template <class Number>
std::optional<std::vector<Number>> read_numbers(const Scope& scope, std::string_view name,
                                                const Value& value);

}  // namespace ptp::schema
