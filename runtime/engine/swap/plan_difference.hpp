// The differences between the plans of a pipeline with newer plugins and the running one.

#pragma once

#include "pipeline/plan.hpp"

#include <string>
#include <vector>

namespace ptp::engine {

// Copies sizes that are only known after components have been created, such as the number of
// classes that a task finds in its folder, from the running plan to the next where the latter has
// none, so that the two can be compared.
void complete_sizes(const pipeline::Plan& running, pipeline::Plan& next);

// Returns a line for each stream that differs, and one if the components run in another order. If
// empty, the components of one plan can replace those of the other.
std::vector<std::string> plan_differences(const pipeline::Plan& running,
                                          const pipeline::Plan& next);

}  // namespace ptp::engine
