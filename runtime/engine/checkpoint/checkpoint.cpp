#include "engine/checkpoint/checkpoint.hpp"

#include "config/write.hpp"
#include "engine/checkpoint/file.hpp"
#include "engine/checkpoint/hash.hpp"
#include "engine/checkpoint/load.hpp"
#include "engine/checkpoint/replace_folder.hpp"
#include "engine/checkpoint/safetensors.hpp"

namespace ptp::engine {

namespace {
constexpr const char* kTraining = "training";
}

void write_checkpoint(const std::filesystem::path& folder, const Components& components,
                      const SavedState& training, const config::Value& record) {
    TensorsByName tensors;
    for (const std::unique_ptr<Instance>& node : components.nodes) {
        for (NamedTensor& named : node->tensors()) {
            tensors.emplace_back(node->node().name + "." + named.name, std::move(named.tensor));
        }
    }
    replace_folder(folder, [&](const std::filesystem::path& made) {
        write_safetensors(made / kWeightsFile, tensors, {{"format", "pt"}});
        write_saved_state(made, kTraining, training);
        OutputFile file = OutputFile::create(made / kRecordFile);
        file.write(config::to_toml(record));
        file.finish();
        write_hashes(made);
    });
}

void restore_weights(const std::filesystem::path& folder, const Components& components) {
    const Safetensors saved = read_safetensors(folder / kWeightsFile);
    for (const std::unique_ptr<Instance>& node : components.nodes) {
        load_tensors(saved, folder / kWeightsFile, node->node().name, *node);
    }
}

SavedState read_training_state(const std::filesystem::path& folder) {
    return read_saved_state(folder, kTraining);
}

}  // namespace ptp::engine
