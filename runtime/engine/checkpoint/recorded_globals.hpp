// Reads what a checkpoint has of a training besides tensors: the facts about its data, the
// globals, above all the classes, and exported states, such as vocabularies.

#pragma once

#include "engine/component/host.hpp"

#include <filesystem>
#include <optional>

namespace ptp::engine {

// Reads the globals, states and facts of a checkpoint. Those that it does not have are empty, and
// so are all of them without a checkpoint. Throws RunError for files that cannot be read.
SavedComponents read_saved(const std::optional<std::filesystem::path>& checkpoint);

// Returns the globals beside the weights of a checkpoint or bundle; an empty table for weights
// alone, and for a record that cannot be read: the weights can.
Value globals_of_weights(const std::filesystem::path& file);

// Publishes those saved globals that tasks find in their data and those that nothing in the plan
// publishes: then data with other classes are refused, and data without any get the training's
// classes. Throws RunError. The context has saved components.
void publish_recorded(ComponentContext& component_context);

}  // namespace ptp::engine
