// Checks the expressions in a component's declaration: shapes, conditions, values.
// (Names, types, ranges and defaults were checked when the manifest was read.)

#pragma once

#include "pipeline/expression.hpp"
#include "plugin/manifest.hpp"

#include <string>
#include <vector>

namespace ptp::pipeline {

// One sentence for each thing wrong, "port 'inputs': shape "B,": expected ...". Empty when all is
// well; only such a component may be given to the other parts of this library.
std::vector<std::string> check_declaration(const plugin::Component& component);

// Adds a sentence that begins with `subject` for each thing in a formula that the component does
// not have, or that is not of the right kind.
void check_names_in(const plugin::Component& component, const Formula& formula,
                    const std::string& subject, std::vector<std::string>& sentences);

}  // namespace ptp::pipeline
