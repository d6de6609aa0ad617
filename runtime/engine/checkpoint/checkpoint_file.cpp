// Writes and reads the files of one checkpoint: weights, state, record.

#include "engine/checkpoint/checkpoint_file.hpp"

#include "base/replace_folder.hpp"
#include "engine/checkpoint/load.hpp"
#include "engine/checkpoint/safetensors.hpp"
#include "plugin/catalog.hpp"
#include "run/hashes.hpp"
#include "run/paths.hpp"
#include "run/training_record.hpp"

#include <utility>

namespace ptp::engine {

namespace {

// A plugin for an earlier minor may keep pointers to its tensors.
constexpr std::uint32_t kFirstMinorToMove = 6;

// Returns the file whose memory the tensors have taken; nullptr if there is none.
std::shared_ptr<const MappedFile> fill_from(const std::filesystem::path& file,
                                            const Components& components, Filling filling) {
    const bool is_in_place = filling == Filling::kInPlace;
    Safetensors content = read_safetensors(file, is_in_place ? Mapped::kAll : Mapped::kBundles);
    const auto mapped = std::exchange(content.mapped, nullptr);
    {
        const SavedWeights saved = {std::move(content.tensors), {}, false};
        for (const std::shared_ptr<Instance>& node : components.nodes) {
            const bool can_move =
                mapped != nullptr && node->node().plugin->manifest.abi_minor >= kFirstMinorToMove;
            load_tensors(saved, file, node->node().name, *node,
                         can_move ? filling : Filling::kCopied);
        }
    }
    return mapped.use_count() > 1 ? mapped : nullptr;
}

TensorsByName tensors_of(const Components& components, Tensors tensors) {
    TensorsByName all;
    for (const std::shared_ptr<Instance>& node : components.nodes) {
        for (NamedTensor& named : node->tensors()) {
            all.emplace_back(node->node().name + "." + named.name, std::move(named.tensor));
        }
    }
    if (tensors == Tensors::kCopied) {
        copy_tensors(all);
    }
    return all;
}

}  // namespace

Weights weights_of(const Components& components, const WeightAverage* average, Tensors tensors) {
    Weights weights = {tensors_of(components, tensors), std::nullopt};
    if (average != nullptr && average->has_begun()) {
        const WeightAverage::InPlace averaged(average);
        weights.averaged = tensors_of(components, Tensors::kCopied);
    }
    return weights;
}

void write_checkpoint(const std::filesystem::path& folder, const Checkpoint& checkpoint) {
    replace_folder(folder, [&](const std::filesystem::path& made) {
        write_safetensors(made / run::kWeightsFile, checkpoint.weights.trained, {{"format", "pt"}});
        if (checkpoint.weights.averaged) {
            write_safetensors(made / run::kAveragesFile, *checkpoint.weights.averaged,
                              {{"format", "pt"}});
        }
        write_training_state(made, checkpoint.training);
        run::write_checkpoint_record(made, checkpoint.record);
        run::write_hashes(made);
    });
}

void restore_weights(const std::filesystem::path& folder, const Components& components) {
    fill_from(folder / run::kWeightsFile, components, Filling::kCopied);
}

void restore_evaluated_weights(const std::filesystem::path& folder, const Components& components) {
    fill_from(experiment::weights_file(folder), components, Filling::kCopied);
}

std::shared_ptr<const MappedFile> use_evaluated_weights(const std::filesystem::path& folder,
                                                        const Components& components) {
    return fill_from(experiment::weights_file(folder), components, Filling::kInPlace);
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
