// Converts values to JSON and back, for messages over the socket and entries of the journal.

#pragma once

#include "base/value.hpp"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ptp {

using Json = nlohmann::ordered_json;

// Converts a value. A real that JSON cannot express (nan, inf) becomes null. All other values come
// back equal.
Json json_of(const Value& value);

// Converts JSON back; null becomes nan. Throws std::invalid_argument for nesting beyond kMaxLevels.
Value value_of(const Json& json);

// Parses `text`; returns nullopt if it is not JSON, or if lists and objects are nested deeper than
// `max_depth`, which `is_too_deep` (optional) receives. Only this function compiles the parser.
std::optional<Json> parsed_json(std::string_view text, std::size_t max_depth = SIZE_MAX,
                                bool* is_too_deep = nullptr);

// Writes JSON on one line, or indented by `indent` blanks; bytes that are not UTF-8 are replaced by
// U+FFFD.
std::string text_of(const Json& json, int indent = -1);

}  // namespace ptp
