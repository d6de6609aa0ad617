// Trials of plugins that do not come with ptp, before their code runs in this process: recorded
// results, and a first load in a process of its own.

#pragma once

#include "base/diagnostics.hpp"
#include "engine/request.hpp"
#include "pipeline/plan.hpp"

#include <optional>
#include <string>

namespace ptp::host {

// Reports plugins of the plan that are recorded as crashing: those that crash when loaded as
// errors, in their files, and those that crashed when checked as warnings. Does not run their code.
void report_crashes(const pipeline::Plan& plan, Diagnostics& problems);

// Returns whether there is no other thread in this process.
bool has_one_thread();

// Loads those plugins in another process that this host has not loaded yet in this form, and
// records the result. A process that `has_one_thread`, or had before the engine was opened, is
// forked. As others cannot be forked safely, the ptp-inspect installed with this ptp then loads
// them; if it is missing, or nothing can be recorded, nothing is tried. Returns an error, with
// lines for further ones, or "". [main]
std::string try_new_plugins(const pipeline::Plan& plan, bool has_one_thread);

// Does the same with a build that is to be swapped into a training: returns why it must not be
// loaded, if it crashed or exceeded its time when loaded there, or before. [any]
std::optional<Explanation> try_build(const engine::BuildTrial& trial);

}  // namespace ptp::host
