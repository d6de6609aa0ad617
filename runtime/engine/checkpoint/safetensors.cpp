// The reader, which checks every length before it uses it, and the writer of safetensors files.

#include "engine/checkpoint/safetensors.hpp"

#include "base/error.hpp"
#include "base/file_error.hpp"
#include "base/json.hpp"
#include "engine/pretrained/pickle.hpp"
#include "experiment/weights_file.hpp"

#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <bit>
#include <cstring>
#include <fstream>
#include <limits>
#include <optional>

namespace ptp::engine {

namespace {

struct Entry {
    std::string name;
    at::ScalarType type = at::kFloat;
    std::vector<std::int64_t> shape;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
};

class Reader {
public:
    Reader(const std::filesystem::path& path, std::uint64_t size) : path_(path), size_(size) {}

    Safetensors read(std::istream& in);

    // Reads the header from `in`, and has the tensors where their bytes are in memory: `begin` is
    // the first of the whole file, which `owner` keeps.
    Safetensors read_mapped(std::istream& in, char* begin,
                            const std::shared_ptr<const MappedFile>& owner);

private:
    [[noreturn]] void refuse(const std::string& problem) const {
        throw RunError(kDataError, fmt::format("{}: {}", path_.string(), problem));
    }
    Json read_header(std::istream& in);
    std::vector<Entry> read_entries(const Json& header, Safetensors& made);
    Entry read_entry(const std::string& name, const Json& json);
    std::uint64_t byte_count(const Entry& entry) const;
    void check_layout(std::vector<Entry>& entries) const;

    const std::filesystem::path& path_;
    const std::uint64_t size_;
    std::uint64_t data_size_ = 0;
};

Safetensors Reader::read(std::istream& in) {
    Safetensors made;
    const Json header = read_header(in);
    std::vector<Entry> entries = read_entries(header, made);
    check_layout(entries);
    for (const Entry& entry : entries) {
        at::Tensor tensor = at::empty(entry.shape, at::TensorOptions(entry.type));
        in.read(static_cast<char*>(tensor.data_ptr()),
                static_cast<std::streamsize>(entry.end - entry.begin));
        if (!in) {
            refuse("cannot be read to its end");
        }
        made.tensors.emplace_back(entry.name, std::move(tensor));
    }
    return made;
}

Safetensors Reader::read_mapped(std::istream& in, char* begin,
                                const std::shared_ptr<const MappedFile>& owner) {
    Safetensors made;
    const Json header = read_header(in);
    std::vector<Entry> entries = read_entries(header, made);
    check_layout(entries);
    char* const data = begin + (size_ - data_size_);
    for (const Entry& entry : entries) {
        char* const first = data + entry.begin;
        const bool is_aligned =
            reinterpret_cast<std::uintptr_t>(first) % c10::elementSize(entry.type) == 0;
        at::Tensor tensor = entry.begin == entry.end
                                ? at::empty(entry.shape, at::TensorOptions(entry.type))
                                : at::from_blob(
                                      first, entry.shape, [owner](void* /*data*/) {},
                                      at::TensorOptions(entry.type));
        if (!is_aligned) {
            at::Tensor copy = at::empty(entry.shape, at::TensorOptions(entry.type));
            std::memcpy(copy.data_ptr(), first, entry.end - entry.begin);
            tensor = std::move(copy);
        }
        made.tensors.emplace_back(entry.name, std::move(tensor));
    }
    return made;
}

Json Reader::read_header(std::istream& in) {
    std::uint64_t length = 0;
    in.read(reinterpret_cast<char*>(&length), sizeof(length));
    if (!in || size_ < sizeof(length) || length > kMaxSafetensorsHeader ||
        length > size_ - sizeof(length)) {
        refuse("is not a safetensors file: the length of its header cannot be right");
    }
    std::string text(length, '\0');
    in.read(text.data(), static_cast<std::streamsize>(length));
    if (!in) {
        refuse("cannot be read to its end");
    }
    // Nesting is limited: a real header has three levels.
    constexpr std::size_t kMaxLevels = 8;
    std::optional<Json> header = parsed_json(text, kMaxLevels);
    if (!header) {
        refuse("is not a safetensors file: its header is not JSON");
    }
    if (!header->is_object()) {
        refuse("is not a safetensors file: its header is not an object");
    }
    data_size_ = size_ - sizeof(length) - length;
    return *std::move(header);
}

std::vector<Entry> Reader::read_entries(const Json& header, Safetensors& made) {
    std::vector<Entry> entries;
    for (const auto& [name, json] : header.items()) {
        if (name != "__metadata__") {
            entries.push_back(read_entry(name, json));
            continue;
        }
        if (!json.is_object()) {
            refuse("its metadata is not an object");
        }
        for (const auto& [key, value] : json.items()) {
            if (!value.is_string()) {
                refuse(fmt::format("its metadata '{}' is not a text", key));
            }
            made.metadata[key] = value.get<std::string>();
        }
    }
    return entries;
}

Entry Reader::read_entry(const std::string& name, const Json& json) {
    Entry entry;
    entry.name = name;
    const auto is_number = [](const Json& item) { return item.is_number_unsigned(); };
    const auto numbers = [&](const char* key) -> const Json& {
        if (!json.is_object() || !json.contains(key) || !json[key].is_array() ||
            !std::all_of(json[key].begin(), json[key].end(), is_number)) {
            refuse(fmt::format("'{}': its {} is missing or is not a list of numbers", name, key));
        }
        return json[key];
    };
    for (const Json& size : numbers("shape")) {
        if (size.get<std::uint64_t>() > std::numeric_limits<std::int64_t>::max()) {
            refuse(fmt::format("'{}': its shape is too large", name));
        }
        entry.shape.push_back(size.get<std::int64_t>());
    }
    const Json& offsets = numbers("data_offsets");
    if (offsets.size() != 2) {
        refuse(fmt::format("'{}': its data_offsets must be two numbers", name));
    }
    entry.begin = offsets[0].get<std::uint64_t>();
    entry.end = offsets[1].get<std::uint64_t>();
    const std::string type =
        json.contains("dtype") && json["dtype"].is_string() ? json["dtype"].get<std::string>() : "";
    const auto* row =
        std::find_if(kSafetensorsTypes.begin(), kSafetensorsTypes.end(),
                     [&type](const SafetensorsType& candidate) { return candidate.name == type; });
    if (row == kSafetensorsTypes.end()) {
        refuse(fmt::format("'{}': unknown type \"{}\"", name, type));
    }
    entry.type = row->type;
    if (entry.begin > entry.end || entry.end > data_size_ ||
        byte_count(entry) != entry.end - entry.begin) {
        refuse(fmt::format("'{}': its data_offsets do not fit its shape or the file", name));
    }
    return entry;
}

std::uint64_t Reader::byte_count(const Entry& entry) const {
    if (entry.shape.size() > 64) {
        refuse(fmt::format("'{}': has {} dimensions", entry.name, entry.shape.size()));
    }
    if (std::find(entry.shape.begin(), entry.shape.end(), 0) != entry.shape.end()) {
        return 0;
    }
    std::uint64_t count = c10::elementSize(entry.type);
    for (const std::int64_t size : entry.shape) {
        if (__builtin_mul_overflow(count, static_cast<std::uint64_t>(size), &count)) {
            refuse(fmt::format("'{}': its shape is too large", entry.name));
        }
    }
    return count;
}

// Each byte must belong to one tensor, without holes, as the format requires.
void Reader::check_layout(std::vector<Entry>& entries) const {
    std::stable_sort(entries.begin(), entries.end(), [](const Entry& left, const Entry& right) {
        return std::pair(left.begin, left.end) < std::pair(right.begin, right.end);
    });
    std::uint64_t position = 0;
    for (const Entry& entry : entries) {
        if (entry.begin != position) {
            refuse(fmt::format("'{}': its bytes do not follow the tensor before it", entry.name));
        }
        position = entry.end;
    }
    if (position != data_size_) {
        refuse(fmt::format("has {} bytes of data, its tensors take {}", data_size_, position));
    }
}

// Returns the bytes of the weights in `file`, which errors call `path`.
experiment::WeightsBytes bytes_of(const std::filesystem::path& file,
                                  const std::filesystem::path& path) {
    try {
        return experiment::weights_bytes(file);
    } catch (const ResourceError& error) {
        throw RunError(kTrainingError, fmt::format("{}: {}", path.string(), error.what()));
    } catch (const FileError& error) {
        throw RunError(kDataError, fmt::format("{}: {}", path.string(), error.what()));
    }
}

// Weights up to this size are read into memory. A program that cuts a mapped file off ends those
// that look at it with SIGBUS, and only larger ones are worth that: they are not copied.
constexpr std::uint64_t kMaxReadWeights = std::uint64_t{64} << 20U;

// Reads weights, or maps them where they are: in a bundle they begin at a multiple of 512. All is
// read from one open file, since another one may take its path meanwhile.
Safetensors read_or_map(const std::filesystem::path& path) {
    const auto file = std::make_shared<MappedFile>(path);
    const experiment::WeightsBytes bytes = bytes_of(file->same(), path);
    std::ifstream in(file->same(), std::ios::binary);
    in.seekg(static_cast<std::streamoff>(bytes.offset));
    char* const begin =
        bytes.size > kMaxReadWeights ? file->map(bytes.offset + bytes.size) : nullptr;
    Reader reader(path, bytes.size);
    Safetensors made =
        begin != nullptr ? reader.read_mapped(in, begin + bytes.offset, file) : reader.read(in);
    if (!file->is_unchanged()) {
        throw RunError(kDataError, fmt::format("{}: was changed while it was read", path.string()));
    }
    made.mapped = begin != nullptr ? file : nullptr;
    return made;
}

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

Safetensors read_safetensors(const std::filesystem::path& path, Mapped mapped) {
    if (mapped == Mapped::kAll || experiment::is_bundle(path)) {
        return read_or_map(path);
    }
    const std::uint64_t size = bytes_of(path, path).size;
    std::ifstream in(path, std::ios::binary);
    return read_safetensors(in, size, path);
}

Safetensors read_safetensors(std::istream& in, std::uint64_t size,
                             const std::filesystem::path& path) {
    return Reader(path, size).read(in);
}

SavedWeights read_weights(const std::filesystem::path& path) {
    std::string problem;
    try {
        switch (experiment::weights_form(path)) {
            case experiment::WeightsForm::kTorchZip:
                return read_torch_zip(path);
            case experiment::WeightsForm::kTorchLegacy:
                return read_torch_legacy(path);
            case experiment::WeightsForm::kBundle:
            case experiment::WeightsForm::kSafetensors:
                return {read_safetensors(path).tensors, {}, false};
            case experiment::WeightsForm::kNone:
                problem = experiment::why_no_weights(path);
                break;
        }
    } catch (const PickleError& error) {
        problem = error.what();
    }
    throw RunError(kDataError, fmt::format("{}: {}", path.string(), problem));
}

SafetensorsBytes safetensors_bytes(const TensorsByName& tensors,
                                   const std::map<std::string, std::string>& metadata) {
    nlohmann::ordered_json header = nlohmann::ordered_json::object();
    if (!metadata.empty()) {
        header["__metadata__"] = metadata;
    }
    SafetensorsBytes made;
    std::uint64_t size = 0;
    for (const auto& [name, tensor] : tensors) {
        size += tensor.nbytes();
    }
    const bool can_be_mapped = size > kMaxReadWeights;
    TensorsByName placed = tensors;
    if (can_be_mapped) {
        std::ranges::stable_partition(placed, [](const auto& named) {
            return named.second.nbytes() > 0 && named.second.nbytes() % kTensorAlignment == 0;
        });
    }
    std::uint64_t offset = 0;
    for (const auto& [name, tensor] : placed) {
        made.tensors.push_back(tensor.detach().cpu().contiguous());
        const std::uint64_t end = offset + made.tensors.back().nbytes();
        header[name] = {{"dtype", safetensors_type(name, tensor.scalar_type())},
                        {"shape", tensor.sizes().vec()},
                        {"data_offsets", {offset, end}}};
        offset = end;
    }
    std::string text = header.dump();
    const std::uint64_t alignment = can_be_mapped ? kTensorAlignment : sizeof(std::uint64_t);
    std::uint64_t length = text.size();
    while ((sizeof(length) + length) % alignment != 0) {
        ++length;
    }
    text.resize(length, ' ');  // so that the data begins there
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
