// What an experiment may say, as a JSON schema (draft 7, which editors of TOML know), so that an
// editor completes keys, shows their help and marks what is wrong.

#pragma once

#include "plugin/catalog.hpp"

#include <nlohmann/json_fwd.hpp>

namespace ptp::reference {

enum class SchemaScope {
    kWhole,  // an experiment by itself
    kPart    // a file that includes others or is included: nothing is required
};

// Of experiments with the components of these plugins. A value can be a "${variable}" anywhere.
nlohmann::ordered_json experiment_schema(const plugin::Catalog& catalog, SchemaScope scope);

}  // namespace ptp::reference
