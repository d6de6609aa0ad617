#include "base/error.hpp"
#include "base/output_file.hpp"
#include "engine/checkpoint/safetensors.hpp"
#include "engine/checkpoint/safetensors_type.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <bit>

namespace ptp::engine {

namespace {

static_assert(std::endian::native == std::endian::little, "safetensors are little-endian");

std::string_view safetensors_type(const std::string& name, at::ScalarType type) {
    for (const SafetensorsType& row : kSafetensorsTypes) {
        if (row.type == type) {
            return row.name;
        }
    }
    throw RunError(kTrainingError,
                   fmt::format("the tensor '{}' of {} cannot be saved", name, c10::toString(type)));
}

}  // namespace

SafetensorsBytes safetensors_bytes(const TensorsByName& tensors,
                                   const std::map<std::string, std::string>& metadata) {
    nlohmann::ordered_json header = nlohmann::ordered_json::object();
    if (!metadata.empty()) {
        header["__metadata__"] = metadata;
    }
    SafetensorsBytes made;
    std::vector<at::Tensor>& plain = made.tensors;
    std::uint64_t offset = 0;
    for (const auto& [name, tensor] : tensors) {
        plain.push_back(tensor.detach().cpu().contiguous());
        const std::uint64_t end = offset + plain.back().nbytes();
        header[name] = {{"dtype", safetensors_type(name, tensor.scalar_type())},
                        {"shape", tensor.sizes().vec()},
                        {"data_offsets", {offset, end}}};
        offset = end;
    }
    std::string text = header.dump();
    text.resize((text.size() + 7) / 8 * 8, ' ');  // so that the data begins at a multiple of 8
    const std::uint64_t length = text.size();
    made.header.assign(reinterpret_cast<const char*>(&length), sizeof(length));
    made.header += text;
    return made;
}

std::uint64_t SafetensorsBytes::size() const {
    std::uint64_t size = header.size();
    for (const at::Tensor& tensor : tensors) {
        size += tensor.nbytes();
    }
    return size;
}

void SafetensorsBytes::write(OutputFile& file) const {
    file.write(header);
    for (const at::Tensor& tensor : tensors) {
        file.write(tensor.data_ptr(), tensor.nbytes());
    }
}

void write_safetensors(const std::filesystem::path& path, const TensorsByName& tensors,
                       const std::map<std::string, std::string>& metadata) {
    const SafetensorsBytes bytes = safetensors_bytes(tensors, metadata);
    OutputFile file = OutputFile::create(path);
    bytes.write(file);
    file.finish();
}

}  // namespace ptp::engine
