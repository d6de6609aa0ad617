// Describes valid experiments as a JSON schema (draft 7).

#pragma once

#include "base/value.hpp"
#include "schema/key.hpp"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <vector>

namespace ptp::schema {

using Json = nlohmann::ordered_json;

enum class JsonScope {
    kWhole,  // a complete document
    kPart    // a file that includes others or is included: nothing is required
};

// The name of the definition that accepts "${name}".
inline constexpr const char* kVariable = "#/definitions/variable";

// Returns the schema of one key, with its help and its default. A table that is checked elsewhere
// may be any table.
Json json_schema(const Key& key, JsonScope scope);

// Returns the schema of a key that is a table with the schema `table`, or one of its other forms.
Json json_schema(const Key& key, JsonScope scope, const Json& table);

// Returns nullopt for what JSON cannot express, such as nan.
std::optional<Json> json_if_finite(const Value& value);

// Returns the schema of a table with exactly these properties.
Json table_of(Json properties, const std::vector<std::string>& required, JsonScope scope);

// Returns a schema that also accepts a variable.
Json or_variable(Json schema);

}  // namespace ptp::schema
