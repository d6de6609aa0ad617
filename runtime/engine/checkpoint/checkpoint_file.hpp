// A saved training: a folder with everything that another process needs to continue. Its files are
// in run/paths.hpp; this part implements the formats of the tensors.

#pragma once

#include "engine/checkpoint/mapped_file.hpp"
#include "engine/component/components.hpp"
#include "engine/component/saved_state.hpp"
#include "engine/optimizer/weight_average.hpp"
#include "run/checkpoint_record.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>

namespace ptp::engine {

// The tensors of all components, named "<component>.<tensor>".
struct Weights {
    TensorsByName trained;
    std::optional<TensorsByName> averaged;  // absent: no average of weights has begun
};

// Everything of a training at one moment that another process needs to continue.
struct Checkpoint {
    std::uint64_t episodes = 0;  // done
    Weights weights;
    SavedState training;
    run::CheckpointRecord record;
};

// With kShared, the tensors are those that are trained, and change with them. With kCopied, they do
// not change.
enum class Tensors { kShared, kCopied };

// Returns the current weights. [main]
Weights weights_of(const Components& components, const WeightAverage* average, Tensors tensors);

// Writes the folder as a whole (see replace_folder()). [main] Throws RunError.
void write_checkpoint(const std::filesystem::path& folder, const Checkpoint& checkpoint);

// Restores the tensors of a checkpoint's folder in their components. Throws RunError.
void restore_weights(const std::filesystem::path& folder, const Components& components);

// Restores the evaluated weights: the averages, if the checkpoint has any.
void restore_evaluated_weights(const std::filesystem::path& folder, const Components& components);

// Does so without copying large ones: on the CPU the tensors of the components take the memory of
// the file, before the first step. Returns that file, which must not change while they are used;
// nullptr if they are copied.
std::shared_ptr<const MappedFile> use_evaluated_weights(const std::filesystem::path& folder,
                                                        const Components& components);

// Write and read the training's part in two files, run::kTrainingFile and
// run::kTrainingTensorsFile. Reading trusts nothing. Both throw RunError.
void write_training_state(const std::filesystem::path& folder, const SavedState& state);
SavedState read_training_state(const std::filesystem::path& folder);

}  // namespace ptp::engine
