// The schemas of single values: of the settings that plugins declare and of the keys of ptp itself.

#pragma once

#include "experiment/key_record.hpp"
#include "plugin/manifest.hpp"
#include "reference/schema.hpp"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>

namespace ptp::reference {

using Json = nlohmann::ordered_json;

// The name of the definition that accepts "${name}".
inline constexpr const char* kVariable = "#/definitions/variable";

// A value as it is; nullopt for what JSON cannot say, such as nan.
std::optional<Json> json_of(const Value& value);

// Of a setting, with its help and its default.
Json setting_schema(const plugin::Setting& setting, SchemaScope scope);

// Of a key that holds a plain value; nullopt for a key whose reader is its own, unless it is known
// here. `path` is the key's.
std::optional<Json> key_schema(const experiment::Key& key, const std::string& path);

// A table with these properties and no others.
Json table_of(Json properties, const std::vector<std::string>& required, SchemaScope scope);

// What the schema accepts, or a variable.
Json or_variable(Json schema);

// Adds what is known; what is empty is left out.
void describe(Json& schema, const std::string& help, const std::optional<Value>& default_value);

}  // namespace ptp::reference
