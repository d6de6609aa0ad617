// Many numbers: a list, a text, or a file of them.

#pragma once

#include "schema/fields.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace ptp::schema {

// Reads [1, 2], "1, 2", or the name of a file: numbers with commas between them, on any number of
// lines. None may be negative, nor infinite. Reports what is wrong, in a file with its line, and
// returns nullopt. Instantiated for std::int64_t and double.
template <class Number>
std::optional<std::vector<Number>> read_numbers(const Scope& scope, std::string_view name,
                                                const Value& value);

}  // namespace ptp::schema
