// Reads the header of a file of safetensors, and checks all that later reads rely on.

#include "ptp-report/sample_file.hpp"

#include "base/file_error.hpp"
#include "base/output_file.hpp"
#include "run/format.hpp"
#include "run/paths.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>
#include <optional>

namespace ptp::report {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kMaxHeader = 16U << 20U;
constexpr std::uint64_t kMaxBytes = 1U << 30U;  // of one tensor
constexpr std::size_t kMaxDepth = 8;            // of JSON
constexpr const char* kEnding = ".safetensors";

std::uint64_t bytes_of_type(const std::string& type) {
    return type == "F32"   ? sizeof(float)
           : type == "I64" ? sizeof(std::int64_t)
           : type == "U8"  ? 1
                           : 0;
}

std::optional<std::uint64_t> natural(const Json& json) {
    return json.is_number_unsigned() ? std::optional(json.get<std::uint64_t>()) : std::nullopt;
}

template <class Number>
std::vector<Number> numbers_in(const std::string& bytes) {
    std::vector<Number> numbers(bytes.size() / sizeof(Number));
    std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(Number));
    return numbers;
}

}  // namespace

std::uint64_t SampleFile::Tensor::size() const {
    std::uint64_t numbers = 1;
    for (const std::uint64_t one : shape) {
        numbers *= one;
    }
    return numbers;
}

std::uint64_t SampleFile::Tensor::width() const {
    return shape.empty() || shape[0] == 0 ? 1 : size() / shape[0];
}

SampleFile::SampleFile(const fs::path& file, Numbered numbered) : file_(file) {
    std::uint64_t length = 0;
    const std::string first = file_.read(0, sizeof(length));
    if (first.size() == sizeof(length)) {
        std::memcpy(&length, first.data(), sizeof(length));
    }
    if (first.size() < sizeof(length) || length > file_.size() || length > kMaxHeader) {
        throw FileError("is cut off, or no file of safetensors");
    }
    const std::optional<Json> header = parsed_json(file_.read(sizeof(length), length), kMaxDepth);
    if (!header || !header->is_object()) {
        throw FileError("has a damaged header");
    }
    for (const auto& [name, entry] : header->items()) {
        if (name == "__metadata__" && entry.is_object()) {
            metadata_ = entry;
        } else {
            add_tensor(name, entry, sizeof(length) + length);
        }
    }
    if (numbered == Numbered::kNo) {
        return;
    }
    const std::string format = text(run::kFormatKey);
    std::int64_t number = 0;
    std::from_chars(format.data(), format.data() + format.size(), number);
    if (number < 1) {
        throw FileError("has no number of its format");
    }
    if (number > run::kSampleValuesFormat) {
        throw FileError(fmt::format("is of format {}, and this ptp reads up to {}", number,
                                    run::kSampleValuesFormat));
    }
}

void SampleFile::add_tensor(const std::string& name, const Json& entry, std::uint64_t begin) {
    const auto broken = [&] { return FileError("has a damaged entry in its header"); };
    if (!entry.is_object() || !entry.contains("dtype") || !entry["dtype"].is_string() ||
        !entry.contains("shape") || !entry["shape"].is_array() || !entry.contains("data_offsets") ||
        !entry["data_offsets"].is_array() || entry["data_offsets"].size() != 2) {
        throw broken();
    }
    Tensor tensor{.type = entry["dtype"].get<std::string>()};
    std::uint64_t bytes = bytes_of_type(tensor.type);
    if (bytes == 0) {  // of a newer revision, or not for reports
        return;
    }
    for (const Json& size : entry["shape"]) {
        const std::optional<std::uint64_t> one = natural(size);
        if (!one || (*one > 0 && bytes > std::numeric_limits<std::uint64_t>::max() / *one)) {
            throw broken();
        }
        tensor.shape.push_back(*one);
        bytes *= *one;
    }
    const auto from = natural(entry["data_offsets"][0]);
    const auto to = natural(entry["data_offsets"][1]);
    if (!from || !to || *to < *from || *to - *from != bytes || *to > file_.size() ||
        begin + *to > file_.size()) {
        throw FileError("is cut off, or its header is damaged");
    }
    if (bytes > kMaxBytes) {  // not for reports, too
        return;
    }
    tensor.begin = begin + *from;
    tensors_.emplace(name, std::move(tensor));
}

const SampleFile::Tensor* SampleFile::find(const std::string& name) const {
    const auto found = tensors_.find(name);
    return found == tensors_.end() ? nullptr : &found->second;
}

std::string SampleFile::content(const std::string& name, const char* type) const {
    const Tensor* const tensor = find(name);
    if (tensor == nullptr || tensor->type != type) {
        throw FileError(fmt::format("has no '{}' of {}", name, type));
    }
    const std::uint64_t size = tensor->size() * bytes_of_type(tensor->type);
    std::string bytes = file_.read(tensor->begin, size);
    if (bytes.size() != size) {
        throw FileError("became shorter while it was read");
    }
    return bytes;
}

std::vector<float> SampleFile::reals(const std::string& name) const {
    return numbers_in<float>(content(name, "F32"));
}

std::vector<float> SampleFile::reals(const std::string& name,
                                     const std::vector<std::size_t>& rows) const {
    const std::vector<float> all = reals(name);
    const auto width = static_cast<std::ptrdiff_t>(find(name)->width());
    std::vector<float> numbers;
    for (const std::size_t row : rows) {
        const auto begin = all.begin() + static_cast<std::ptrdiff_t>(row) * width;
        numbers.insert(numbers.end(), begin, begin + width);
    }
    return numbers;
}

std::vector<std::int64_t> SampleFile::integers(const std::string& name) const {
    return numbers_in<std::int64_t>(content(name, "I64"));
}

std::string SampleFile::bytes(const std::string& name) const {
    return content(name, "U8");
}

std::string SampleFile::text(const char* key) const {
    const auto found = metadata_.find(key);
    return found != metadata_.end() && found->is_string() ? found->get<std::string>() : "";
}

Json SampleFile::json(const char* key) const {
    return parsed_json(text(key), kMaxDepth).value_or(Json(nullptr));
}

std::map<std::string, std::vector<fs::path>> sample_files_of(const fs::path& run) {
    std::map<std::string, std::vector<fs::path>> files;
    const fs::path folder = run / run::kSampleValuesFolder;
    std::error_code ignored;
    if (!fs::is_directory(folder, ignored)) {
        return files;
    }
    for (const fs::directory_entry& entry : entries_of(folder)) {
        const std::string stem = entry.path().stem().string();
        const std::size_t end = stem.rfind('_');
        if (entry.path().extension() == kEnding && end != std::string::npos) {
            files[stem.substr(0, end)].push_back(entry.path());
        }
    }
    for (auto& [section, list] : files) {
        // By the episode in the name, which has six digits or more.
        std::ranges::sort(list, {}, [](const fs::path& file) {
            const std::string name = file.filename().string();
            return std::pair(name.size(), name);
        });
    }
    return files;
}

}  // namespace ptp::report
