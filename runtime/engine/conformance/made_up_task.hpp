// The task of a pipeline around one component, which writes the streams that the component reads.

#pragma once

#include "engine/conformance/guess.hpp"
#include "pipeline/draft.hpp"
#include "pipeline/plan.hpp"
#include "plugin/catalog.hpp"

#include <set>
#include <string>

namespace ptp::engine {

inline constexpr const char* kMadeUpTask = "MadeUpTask";

// Returns the globals, in the pipeline's names, that the component reads and the task must publish.
std::set<std::string> read_globals(const pipeline::Node& node);

// Makes the task. Without a plan, its streams have any shape; with a plan made that way, they and
// the globals have the sizes that the component requires there, made up if it accepts any.
plugin::CatalogEntry made_up_task(const pipeline::Draft& draft, const Guess& guess,
                                  const pipeline::Plan* plan, const std::set<std::string>& unwired);

}  // namespace ptp::engine
