// Reads the examples in files of samples/: what tasks gave of some samples, and what was predicted.

#include "ptp-report/examples.hpp"

#include "base/base64.hpp"
#include "base/text.hpp"
#include "ptp-report/checked_json.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <utility>

namespace ptp::report {

namespace fs = std::filesystem;

namespace {

Json texts_of(const std::string& bytes, std::uint64_t width, const std::vector<std::size_t>& kept) {
    Json texts = Json::array();
    for (const std::size_t place : kept) {
        const std::string whole = bytes.substr(place * width, width);
        texts.push_back(harmless(utf8_text(whole.substr(0, whole.find('\0')))));
    }
    return texts;
}

std::string rows_of(const std::string& bytes, std::uint64_t width,
                    const std::vector<std::size_t>& kept) {
    std::string rows;
    for (const std::size_t place : kept) {
        rows += bytes.substr(place * width, width);
    }
    return rows;
}

// Returns a stream of the kept examples; null for a form that a newer ptp wrote.
Json stream_of(const SampleFile& file, const std::string& name, const std::string& form,
               const std::vector<std::size_t>& kept) {
    const std::string tensor_name = "example/" + name;
    const SampleFile::Tensor* const tensor = file.find(tensor_name);
    if (tensor == nullptr || tensor->shape.empty() || kept.empty() ||
        kept.back() >= tensor->shape[0]) {
        return nullptr;
    }
    const std::uint64_t width = tensor->width();
    Json stream = {{"name", harmless(name)}, {"form", form}};
    if (form == "image" && tensor->shape.size() == 4 && tensor->type == "U8" &&
        (tensor->shape[3] == 1 || tensor->shape[3] == 3) && tensor->shape[1] > 0 &&
        tensor->shape[2] > 0) {
        stream["height"] = tensor->shape[1];
        stream["width"] = tensor->shape[2];
        stream["channels"] = tensor->shape[3];
        stream["pixels"] = base64(rows_of(file.bytes(tensor_name), width, kept));
    } else if (form == "classes" && tensor->shape.size() == 3 && tensor->type == "U8" &&
               tensor->shape[1] > 0 && tensor->shape[2] > 0) {
        stream["height"] = tensor->shape[1];
        stream["width"] = tensor->shape[2];
        stream["pixels"] = base64(rows_of(file.bytes(tensor_name), width, kept));
    } else if (form == "text" && tensor->type == "U8") {
        stream["texts"] = texts_of(file.bytes(tensor_name), width, kept);
    } else if (form == "values" && tensor->type == "F32") {
        const std::vector<float> all = file.reals(tensor_name);
        Json values = Json::array();
        for (const std::size_t place : kept) {
            Json row = Json::array();
            for (std::uint64_t i = 0; i < width; ++i) {
                row.push_back(rounded(all[place * width + i]));
            }
            values.push_back(std::move(row));
        }
        stream["values"] = std::move(values);
    } else {
        return nullptr;
    }
    return stream;
}

Json streams_of(const SampleFile& file, const Json& forms, const std::vector<std::size_t>& kept) {
    Json streams = Json::array();
    for (const auto& [name, form] : forms.items()) {
        Json stream =
            form.is_string() ? stream_of(file, name, form.get<std::string>(), kept) : Json(nullptr);
        if (!stream.is_null()) {
            streams.push_back(std::move(stream));
        }
    }
    return streams;
}

bool has_examples(const SampleFile& file) {
    return file.json("examples").is_object() && file.find("example/index") != nullptr;
}

// Returns these of the examples, whose samples have the numbers `indices`.
Json some_examples(const SampleFile& file, const std::vector<std::int64_t>& indices,
                   const std::vector<std::size_t>& kept) {
    Json index = Json::array();
    for (const std::size_t place : kept) {
        index.push_back(indices[place]);
    }
    return {{"index", std::move(index)},
            {"streams", streams_of(file, file.json("examples"), kept)}};
}

// Adds the numbers of the samples that have an example.
void add_shown(const Json& examples, std::set<std::int64_t>& shown) {
    for (const Json& index : list_in(examples, "index")) {
        shown.insert(index.get<std::int64_t>());
    }
}

// Returns the examples of samples that no newer pass has shown, of those with the highest loss.
Json older_examples(const SampleFile& file, const Json& worst, std::set<std::int64_t>& shown) {
    if (!has_examples(file)) {
        return nullptr;
    }
    std::set<std::int64_t> wanted;
    for (const Json& index : worst) {
        if (!shown.contains(index.get<std::int64_t>())) {
            wanted.insert(index.get<std::int64_t>());
        }
    }
    const std::vector<std::int64_t> indices = file.integers("example/index");
    std::vector<std::size_t> kept;
    for (std::size_t i = 0; i < indices.size(); ++i) {
        if (wanted.contains(indices[i])) {
            kept.push_back(i);
        }
    }
    Json examples = some_examples(file, indices, kept);
    add_shown(examples, shown);
    return kept.empty() ? Json(nullptr) : examples;
}

}  // namespace

Json examples_of(const SampleFile& file, std::size_t room, Json& notes) {
    if (!has_examples(file)) {
        return nullptr;
    }
    const std::vector<std::int64_t> indices = file.integers("example/index");
    std::uint64_t bytes = 1;
    for (const auto& [name, tensor] : file.tensors()) {
        if (name.starts_with("example/") && !tensor.shape.empty()) {
            bytes = std::max<std::uint64_t>(bytes, tensor.size());
        }
    }
    const std::size_t count =
        bytes <= room
            ? indices.size()
            : static_cast<std::size_t>(static_cast<double>(indices.size()) *
                                       static_cast<double>(room) / static_cast<double>(bytes));
    std::vector<std::size_t> kept;
    for (std::size_t i = 0; i < count; ++i) {
        kept.push_back(i * indices.size() / count);
    }
    if (count < indices.size()) {
        notes.push_back(fmt::format("{} of {} examples, for their size", count, indices.size()));
    }
    return some_examples(file, indices, kept);
}

Json more_examples(const Json& section, const std::vector<fs::path>& files,
                   const SampleDetail& detail) {
    std::set<std::int64_t> shown;
    add_shown(section["examples"], shown);
    const Json& passes = section["passes"];
    Json all = Json::array();
    std::size_t bytes = 0;
    for (std::size_t i = files.size(); i-- > 1 && passes.size() == files.size();) {
        Json examples = older_examples(SampleFile(files[i - 1]), passes[i - 1]["index"], shown);
        bytes += text_of(examples).size();
        if (bytes > detail.example_bytes) {
            break;
        }
        if (!examples.is_null()) {
            all.push_back(std::move(examples));
        }
    }
    return all;
}

}  // namespace ptp::report
