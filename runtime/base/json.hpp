// Values as JSON and back, for messages over the socket and entries of the journal.

#pragma once

#include "base/value.hpp"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace ptp {

using Json = nlohmann::ordered_json;

// A real that JSON cannot express (nan, inf) becomes null. All other values come back equal.
Json json_of(const Value& value);

// null becomes nan. Throws std::invalid_argument for what lies deeper than kMaxLevels.
Value value_of(const Json& json);

// Nothing where `text` is not JSON. Of all that reads JSON only this compiles the parser.
std::optional<Json> parsed_json(std::string_view text);

// On one line, or indented by N blanks; bytes that are not UTF-8 are replaced by U+FFFD.
std::string text_of(const Json& json, int indent = -1);

}  // namespace ptp
