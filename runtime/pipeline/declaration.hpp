// Checks the expressions in a component's declaration: shapes, conditions, values.
// (Names, types, ranges and defaults were checked when the manifest was read.)

#pragma once

#include "plugin/manifest.hpp"

#include <string>
#include <vector>

namespace ptp::pipeline {

// One sentence for each thing wrong, "port 'inputs': shape "B,": expected ...". Empty when all is
// well; only such a component may be given to the other parts of this library.
std::vector<std::string> check_declaration(const plugin::Component& component);

}  // namespace ptp::pipeline
