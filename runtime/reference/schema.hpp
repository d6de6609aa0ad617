// The keys and values that an experiment may have, as a JSON schema (draft 7, which editors of TOML
// know), so that an editor completes keys, shows their help and marks what is wrong.

#pragma once

#include "plugin/catalog.hpp"
#include "schema/json_schema.hpp"

namespace ptp::reference {

using SchemaScope = schema::JsonScope;

// Of experiments with the components of these plugins. A value can be a "${variable}" anywhere.
schema::Json experiment_schema(const plugin::Catalog& catalog, SchemaScope scope);

}  // namespace ptp::reference
