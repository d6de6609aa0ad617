// Describes the keys and values of experiments as a JSON schema (draft 7, which TOML editors
// support), so that an editor completes keys, shows their help and marks errors.

#pragma once

#include "plugin/catalog.hpp"
#include "schema/json_schema.hpp"

namespace ptp::reference {

using SchemaScope = schema::JsonScope;

// Describes experiments with the components of these plugins. Any value can be a "${variable}".
schema::Json experiment_schema(const plugin::Catalog& catalog, SchemaScope scope);

}  // namespace ptp::reference
