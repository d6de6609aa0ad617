// Puts saved tensors into components.

#pragma once

#include "config/experiment.hpp"
#include "engine/checkpoint/safetensors.hpp"
#include "engine/step/instance.hpp"

#include <filesystem>
#include <string>

namespace ptp::engine {

// Copies the tensors that were saved under a component's name into an instance. Each must be there,
// with its shape and type, and no other; all that differs is said at once. Nothing is changed
// unless everything fits. `file` is for messages. Throws RunError with kDataError.
void load_tensors(const Safetensors& saved, const std::filesystem::path& file,
                  const std::string& component, Instance& instance);

// What a component's `load` asks for. The file may be a safetensors file, a checkpoint's folder, or
// a run's folder, of which the best weights are taken.
void load_component(const config::Load& load, Instance& instance);

}  // namespace ptp::engine
