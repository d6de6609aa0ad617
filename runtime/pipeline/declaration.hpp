// Checks the expressions in a component's declaration: shapes, conditions, values.
// (Names, types, ranges and defaults were checked when the manifest was read.)

#pragma once

#include "plugin/manifest.hpp"

#include <string>
#include <vector>

namespace ptp::pipeline {

// Returns a sentence for each error, "port 'inputs': shape "B,": expected ..."; none for a valid
// declaration. The other functions of this folder REQUIRE a valid one.
std::vector<std::string> check_declaration(const plugin::Component& component);

}  // namespace ptp::pipeline
