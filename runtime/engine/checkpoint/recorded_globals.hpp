// The globals of a training, which its checkpoints keep: above all its classes.

#pragma once

#include "engine/component/host.hpp"

#include <filesystem>
#include <optional>

namespace ptp::engine {

// Publishes, of the globals that the checkpoint keeps, those that tasks find in their data and
// those that nothing in the plan publishes: data with other classes are refused then, and data
// without any get the training's classes. Nothing without a checkpoint, or for one that an older
// build wrote. Throws RunError.
void publish_recorded(const std::optional<std::filesystem::path>& checkpoint,
                      ComponentContext& component_context);

}  // namespace ptp::engine
