// Plugins that do not come with ptp, before their code runs in this process: what is remembered of
// them, and a first attempt in a process of its own.

#pragma once

#include "base/diagnostics.hpp"
#include "engine/request.hpp"
#include "pipeline/plan.hpp"

#include <optional>
#include <string>

namespace ptp::host {

// Reports plugins of the plan that are remembered as crashing: those that do so when they are
// loaded as errors, in their files, and those that did when they were checked as warnings. Runs
// none of their code.
void report_crashes(const pipeline::Plan& plan, Diagnostics& problems);

// Whether there is no other thread in this process.
bool has_one_thread();

// Loads those plugins in a child process that were not loaded yet, as these files in this host, and
// remembers how that ended. An error, with lines for further ones, or "".
// REQUIRES: has_one_thread() held before the engine was opened. [main]
std::string try_new_plugins(const pipeline::Plan& plan);

// The same in a process with several threads, whose forks are not whole: ptp-inspect, which was
// installed with this ptp, loads them and remembers how that ended. Where it is not there, or
// nothing can be remembered, nothing is tried.
std::string try_new_plugins_apart(const pipeline::Plan& plan);

// The same for a build that is to be swapped into a training: why it must not be loaded, if it
// crashed or was not done in time when it was loaded there, or before. [any]
std::optional<Explanation> try_build(const engine::BuildTrial& trial);

}  // namespace ptp::host
