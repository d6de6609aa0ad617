#include "engine/checkpoint/checkpoint.hpp"

#include "base/replace_folder.hpp"
#include "engine/checkpoint/load.hpp"
#include "engine/checkpoint/safetensors.hpp"
#include "run/hashes.hpp"
#include "run/paths.hpp"
#include "run/training_record.hpp"

namespace ptp::engine {

namespace {

void restore_from(const std::filesystem::path& file, const Components& components) {
    const SavedWeights saved = {read_safetensors(file).tensors, {}, false};
    for (const std::shared_ptr<Instance>& node : components.nodes) {
        load_tensors(saved, file, node->node().name, *node);
    }
}

}  // namespace

void write_checkpoint(const std::filesystem::path& folder, const Weights& weights,
                      const SavedState& training, const run::CheckpointRecord& record) {
    TensorsByName tensors;
    for (const std::shared_ptr<Instance>& node : weights.components.nodes) {
        for (NamedTensor& named : node->tensors()) {
            tensors.emplace_back(node->node().name + "." + named.name, std::move(named.tensor));
        }
    }
    replace_folder(folder, [&](const std::filesystem::path& made) {
        write_safetensors(made / run::kWeightsFile, tensors, {{"format", "pt"}});
        if (weights.average != nullptr && weights.average->has_begun()) {
            const WeightAverage::InPlace averaged(weights.average);
            write_safetensors(made / run::kAveragesFile, tensors, {{"format", "pt"}});
        }
        write_training_state(made, training);
        run::write_checkpoint_record(made, record);
        run::write_hashes(made);
    });
}

void restore_weights(const std::filesystem::path& folder, const Components& components) {
    restore_from(folder / run::kWeightsFile, components);
}

void restore_evaluated_weights(const std::filesystem::path& folder, const Components& components) {
    restore_from(experiment::weights_file(folder), components);
}

void write_training_state(const std::filesystem::path& folder, const SavedState& state) {
    write_safetensors(folder / run::kTrainingTensorsFile, state.tensors, {});
    run::write_training(folder, state.record);
}

SavedState read_training_state(const std::filesystem::path& folder) {
    SavedState state;
    state.record = run::read_training(folder);
    state.tensors = read_safetensors(folder / run::kTrainingTensorsFile).tensors;
    return state;
}

}  // namespace ptp::engine
