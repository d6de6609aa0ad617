// What may be written, as a JSON schema (draft 7).

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
    kWhole,  // a document by itself
    kPart    // a file that includes others or is included: nothing is required
};

// The name of the definition that accepts "${name}".
inline constexpr const char* kVariable = "#/definitions/variable";

// Of one key, with its help and its default. A table that is checked elsewhere is any table.
Json json_schema(const Key& key, JsonScope scope);

// Of a key that is a table with this schema, or one of its forms.
Json json_schema(const Key& key, JsonScope scope, const Json& table);

// nullopt for what JSON cannot express, such as nan.
std::optional<Json> json_if_finite(const Value& value);

// A table with these properties and no others.
Json table_of(Json properties, const std::vector<std::string>& required, JsonScope scope);

// What the schema accepts, or a variable.
Json or_variable(Json schema);

}  // namespace ptp::schema
