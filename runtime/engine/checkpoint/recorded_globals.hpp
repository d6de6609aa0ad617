// What a checkpoint keeps of a training's components besides tensors: the globals, above all the
// classes, and their states, such as vocabularies.

#pragma once

#include "engine/component/host.hpp"

#include <filesystem>
#include <optional>

namespace ptp::engine {

// What is missing, without a checkpoint all of it, is empty. Throws RunError for files that cannot
// be read.
SavedComponents read_saved(const std::optional<std::filesystem::path>& checkpoint);

// Publishes, of the saved globals, those that tasks find in their data and those that nothing in
// the plan publishes: data with other classes are refused then, and data without any get the
// training's classes. Throws RunError. REQUIRES: the context has saved components.
void publish_recorded(ComponentContext& component_context);

}  // namespace ptp::engine
