// What a run keeps of its training: one folder with all that another process needs to continue. Its
// files are in run/paths.hpp; this part knows the formats of the tensors.

#pragma once

#include "engine/component/components.hpp"
#include "engine/component/saved_state.hpp"
#include "engine/optim/weight_average.hpp"
#include "run/checkpoint_record.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace ptp::engine {

// The tensors of all components, named "<component>.<tensor>".
struct Weights {
    TensorsByName trained;
    std::optional<TensorsByName> averaged;  // absent: no average of weights has begun
};

// kShared: the tensors are those that are trained, and change with them. kCopied: they stay as they
// are.
enum class Tensors { kShared, kCopied };

// The weights at this moment. [main]
Weights weights_of(const Components& components, const WeightAverage* average, Tensors tensors);

// Writes the folder as a whole (see replace_folder()). [main] Throws RunError.
void write_checkpoint(const std::filesystem::path& folder, const Weights& weights,
                      const SavedState& training, const run::CheckpointRecord& record);

// Puts the tensors of a checkpoint's folder back into the components they came from. Throws
// RunError.
void restore_weights(const std::filesystem::path& folder, const Components& components);

// The same with those that were evaluated: the averages, if the checkpoint has any.
void restore_evaluated_weights(const std::filesystem::path& folder, const Components& components);

// The training's part in two files, run::kTrainingFile and run::kTrainingTensorsFile. Reading
// trusts nothing. Throw RunError.
void write_training_state(const std::filesystem::path& folder, const SavedState& state);
SavedState read_training_state(const std::filesystem::path& folder);

}  // namespace ptp::engine
