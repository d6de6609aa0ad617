#include "engine/checkpoint/saved_state_file.hpp"

#include "base/error.hpp"
#include "base/output_file.hpp"
#include "base/toml_reader.hpp"
#include "base/toml_writer.hpp"
#include "engine/checkpoint/safetensors.hpp"

#include <utility>

namespace ptp::engine {

void write_saved_state(const std::filesystem::path& folder, const std::string& name,
                       const SavedState& state) {
    write_safetensors(folder / (name + ".safetensors"), state.tensors, {});
    OutputFile file = OutputFile::create(folder / (name + ".toml"));
    file.write(to_toml(state.record));
    file.finish();
}

SavedState read_saved_state(const std::filesystem::path& folder, const std::string& name) {
    SavedState state;
    state.tensors = read_safetensors(folder / (name + ".safetensors")).tensors;
    const std::filesystem::path file = folder / (name + ".toml");
    Diagnostics problems;
    auto record = read_toml(read_text(file), file.string(), problems);
    if (!record) {
        throw RunError(kDataError, problems.text());
    }
    state.record = std::move(*record);
    return state;
}

}  // namespace ptp::engine
