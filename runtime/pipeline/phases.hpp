// Decides which components run on the batches of a section.

#pragma once

#include "base/diagnostics.hpp"
#include "pipeline/wiring.hpp"

#include <string>
#include <vector>

namespace ptp::pipeline {

// Fills in Node::runs_for, by the places of assembly.tasks. `processed` are the sections that are
// processed, in the phase "process", while the others are inactive; none: all are run, each in the
// phase of its role, [validation.hard] in "validation". `order` is the order of execution. Reports
// a component that runs in a section which lacks one of its inputs, unless it is to be skipped
// there, or the port takes a list of streams and is optional: it gets that one without a value.
void find_phases(Assembly& assembly, const std::vector<int>& order,
                 const std::vector<std::string>& processed, Diagnostics& problems);

}  // namespace ptp::pipeline
