// What a run keeps of its training: one folder with all that another process needs to go on.
//
//   weights.safetensors    every component's parameters and buffers as "<component>.<tensor>"
//   averages.safetensors   the same with the moving averages of the weights, if they are asked for
//   training.safetensors   optimizer, generators and whatever else of the training is tensors
//   training.toml          the rest of it
//   checkpoint.toml        for people: where the training was, and how good it was
//   SHA256SUMS             of all of them

#pragma once

#include "base/value.hpp"
#include "engine/component/components.hpp"
#include "engine/component/saved_state.hpp"
#include "engine/optim/weight_average.hpp"
#include "experiment/weights_file.hpp"

#include <filesystem>
#include <string>

namespace ptp::engine {

using experiment::kAveragesFile;
using experiment::kWeightsFile;
inline constexpr const char* kRecordFile = "checkpoint.toml";

struct Weights {
    const Components& components;
    const WeightAverage* average = nullptr;  // (optional)
};

// Writes the folder as a whole (see replace_folder()). [main] Throws RunError.
void write_checkpoint(const std::filesystem::path& folder, const Weights& weights,
                      const SavedState& training, const Value& record);

// Puts the tensors of a checkpoint's folder back into the components they came from. Throws
// RunError.
void restore_weights(const std::filesystem::path& folder, const Components& components);

// The same with those that were evaluated: the averages, if the checkpoint has any.
void restore_evaluated_weights(const std::filesystem::path& folder, const Components& components);

// The training's part. Throws RunError.
SavedState read_training_state(const std::filesystem::path& folder);

}  // namespace ptp::engine
