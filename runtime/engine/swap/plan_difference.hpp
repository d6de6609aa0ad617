// How a pipeline with newer plugins differs from the one that runs, by their plans.

#pragma once

#include "pipeline/plan.hpp"

#include <string>
#include <vector>

namespace ptp::engine {

// Some sizes are known only when components have been created, such as the number of classes that a
// task finds in its folder. Copies to the next plan those that the running one has by now, where it
// has none of its own, so that the two can be compared.
void complete_sizes(const pipeline::Plan& running, pipeline::Plan& next);

// A line for each stream that differs, and one if the components run in another order. Empty: the
// components of one plan can replace the components of the other.
std::vector<std::string> plan_differences(const pipeline::Plan& running,
                                          const pipeline::Plan& next);

}  // namespace ptp::engine
