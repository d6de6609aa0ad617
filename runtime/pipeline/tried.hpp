// Components that are tried in turn on each sample: `try`.

#pragma once

#include "base/diagnostics.hpp"
#include "pipeline/plan.hpp"
#include "pipeline/wiring.hpp"
#include "plugin/manifest.hpp"

#include <string>

namespace ptp::pipeline {

// Returns why such a component cannot be tried; "" if it can.
std::string reason_not_to_try(const plugin::Component& component);

// Reports components that cannot be tried because they do not treat each sample by itself, and
// those whose streams are not the same ones as those of the others. The streams must have been
// wired.
void check_tried(const Assembly& assembly, Diagnostics& problems);

// Warns that nothing reads the streams of a component that is tried: once, where the first of them
// is, for the section that tries them all.
void warn_of_unread_try(const Assembly& assembly, const Node& node, const std::string& streams,
                        Diagnostics& problems);

// Sets Node::tries of the last of those that are tried in turn, by the order of the plan.
void name_tried(Plan& plan);

}  // namespace ptp::pipeline
