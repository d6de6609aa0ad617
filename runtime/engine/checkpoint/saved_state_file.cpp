#include "engine/checkpoint/saved_state_file.hpp"

#include "engine/checkpoint/safetensors.hpp"
#include "run/paths.hpp"
#include "run/training_record.hpp"

namespace ptp::engine {

void write_saved_state(const std::filesystem::path& folder, const SavedState& state) {
    write_safetensors(folder / run::kTrainingTensorsFile, state.tensors, {});
    run::write_training(folder, state.record);
}

SavedState read_saved_state(const std::filesystem::path& folder) {
    SavedState state;
    state.record = run::read_training(folder);
    state.tensors = read_safetensors(folder / run::kTrainingTensorsFile).tensors;
    return state;
}

}  // namespace ptp::engine
