// Formulas of a component's declaration: whether what they name exists.

#pragma once

#include "pipeline/expression.hpp"
#include "plugin/manifest.hpp"

#include <string>
#include <vector>

namespace ptp::pipeline {

// Adds a sentence that begins with `subject` for each thing that the component does not have, or
// that is not of the right kind.
void check_names_in(const plugin::Component& component, const Formula& formula,
                    const std::string& subject, std::vector<std::string>& sentences);

}  // namespace ptp::pipeline
