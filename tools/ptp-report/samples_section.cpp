// Reads the samples of the newest pass over each set, and chooses those that the page has.

#include "ptp-report/samples_section.hpp"

#include "base/file_error.hpp"
#include "base/text.hpp"
#include "ptp-report/checked_json.hpp"
#include "ptp-report/examples.hpp"
#include "ptp-report/losses_by_pass.hpp"
#include "ptp-report/sample_vectors.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <utility>

namespace ptp::report {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMaxPasses = 60;  // that are read for the labels and the worst by epoch
constexpr std::size_t kWorstOfPass = 24;
constexpr std::size_t kWorstOfAll = 40;
constexpr std::size_t kMaxScores = 8;
constexpr std::uint64_t kMaxSamples = 5'000'000;

std::vector<float> losses_in(const SampleFile& file, std::size_t count) {
    for (const auto& [name, tensor] : file.tensors()) {
        if (name.ends_with(".loss") && tensor.type == "F32") {
            std::vector<float> losses = file.reals(name);
            if (losses.size() != count) {
                throw FileError("has losses of other samples than its index");
            }
            return losses;
        }
    }
    return {};
}

// Returns whether the page has a meaning of its own for samples' values of that name.
bool is_of_page(const std::string& name) {
    return name == "index" || name == "label" || name == "confidence" || name.ends_with("_bin") ||
           name.starts_with("target") || name.starts_with("predicted");
}

// Adds what other components have written for each sample, such as a score of its sentence, under
// the names of their statistics: "bleu"; under their whole names where the page has such a name.
// Those of classes are in the columns already. Returns the names.
Json add_scores(SampleColumns& columns, const SampleFile& file, std::size_t count) {
    Json names = Json::array();
    for (const auto& [name, tensor] : file.tensors()) {
        const std::size_t dot = name.find('.');
        const std::string own = dot == std::string::npos ? "" : name.substr(dot + 1);
        const bool is_score = tensor.type == "F32" && tensor.shape.size() == 1 &&
                              tensor.size() == count && !name.starts_with("stream/") &&
                              !name.starts_with("example/") && !own.empty() && own != "loss" &&
                              own != "target" && own != "predicted" && own != "accuracy";
        if (!is_score || names.size() == kMaxScores) {
            continue;
        }
        const std::string shown = columns.contains(own) || is_of_page(own) ? name : own;
        const std::vector<float> values = file.reals(name);
        columns[shown] = {values.begin(), values.end()};
        names.push_back(harmless(shown));
    }
    return names;
}

std::vector<std::int64_t> indices_in(const SampleFile& file) {
    const SampleFile::Tensor* const index = file.find("index");
    if (index != nullptr && index->size() > kMaxSamples) {
        throw FileError(
            fmt::format("has {} samples; a report shows up to {}", index->size(), kMaxSamples));
    }
    return file.integers("index");
}

// Returns the first `limit` samples by falling loss, those without a number last.
std::vector<std::size_t> by_loss(const std::vector<float>& losses, std::size_t count,
                                 std::size_t limit) {
    std::vector<std::pair<float, std::size_t>> places(count);
    for (std::size_t i = 0; i < count; ++i) {
        const bool has_loss = !losses.empty() && !std::isnan(losses[i]);
        places[i] = {has_loss ? -losses[i] : std::numeric_limits<float>::infinity(), i};
    }
    limit = std::min(limit, count);
    const auto end = places.begin() + static_cast<std::ptrdiff_t>(limit);
    if (limit < count) {
        std::ranges::nth_element(places, end);
    }
    std::ranges::sort(places.begin(), end);
    std::vector<std::size_t> order(limit);
    std::ranges::transform(places.begin(), end, order.begin(),
                           &std::pair<float, std::size_t>::second);
    return order;
}

// Returns all samples by falling loss; of too many, the first half of the room for those with the
// highest loss, and the rest evenly from the others.
std::vector<std::size_t> chosen(const std::vector<std::size_t>& order, std::size_t rows) {
    if (order.size() <= rows) {
        return order;
    }
    const std::size_t first = rows / 2;
    std::vector<std::size_t> some(order.begin(),
                                  order.begin() + static_cast<std::ptrdiff_t>(first));
    for (std::size_t i = first; i < rows; ++i) {
        some.push_back(order[first + (i - first) * (order.size() - first) / (rows - first)]);
    }
    return some;
}

Json column_of(const std::vector<double>& values, const std::vector<std::size_t>& rows) {
    Json list = Json::array();
    list.get_ref<Json::array_t&>().reserve(rows.size());
    for (const std::size_t row : rows) {
        list.push_back(rounded(values[row]));
    }
    return list;
}

// The measurements of the recorded passes over a set.
struct Passes {
    Json worst = Json::array();  // the newest last
    LossesByPass losses = {};
    std::unordered_map<std::int64_t, double> labels = {};  // sums of probabilities
    std::unordered_map<std::int64_t, std::uint64_t> counts = {};
    std::size_t label_passes = 0;
};

// Returns a number of the metadata, which are texts; null for anything else.
Json natural_in(const std::string& text) {
    std::uint64_t number = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    return read.ec == std::errc() ? Json(number) : Json(nullptr);
}

void add_pass(Passes& passes, const SampleFile& file) {
    std::vector<std::int64_t> index = indices_in(file);
    std::vector<float> losses = losses_in(file, index.size());
    SampleColumns columns;
    add_classes(file, index.size(), columns);
    const auto labels = columns.find("label");
    if (labels != columns.end()) {
        ++passes.label_passes;
        for (std::size_t i = 0; i < index.size(); ++i) {
            if (!std::isnan(labels->second[i])) {
                passes.labels[index[i]] += labels->second[i];
                ++passes.counts[index[i]];
            }
        }
    }
    if (losses.empty()) {
        return;
    }
    Json samples = Json::array();
    Json worst = Json::array();
    const std::vector<std::size_t> order = by_loss(losses, index.size(), kWorstOfPass);
    for (const std::size_t i : order) {
        samples.push_back(index[i]);
        worst.push_back(rounded(losses[i]));
    }
    Json pass = {{"epoch", harmless(file.text("epoch"))},
                 {"episode", natural_in(file.text("episode"))},
                 {"index", std::move(samples)},
                 {"loss", std::move(worst)}};
    reserve_members(pass);
    for (const char* name : {"target", "predicted"}) {
        for (std::size_t i = 0; columns.contains(name) && i < pass["index"].size(); ++i) {
            pass[name].push_back(rounded(columns[name][order[i]]));
        }
    }
    passes.worst.push_back(std::move(pass));
    passes.losses.add(harmless(file.text("epoch")), std::move(index), std::move(losses));
}

// Replaces the probabilities of the labels by their means over all recorded passes.
void average_labels(SampleColumns& columns, const std::vector<std::int64_t>& index,
                    const Passes& passes) {
    const auto labels = columns.find("label");
    for (std::size_t i = 0; labels != columns.end() && i < index.size(); ++i) {
        const auto count = passes.counts.find(index[i]);
        if (count != passes.counts.end()) {
            labels->second[i] = passes.labels.at(index[i]) / static_cast<double>(count->second);
        }
    }
}

// Returns the names of the classes that a place of a segmentation can have.
Json segment_names(const SampleFile& file) {
    constexpr std::size_t kMaxSegments = 256;
    Json names = class_names(file);
    while (names.size() > kMaxSegments) {
        names.erase(names.size() - 1);
    }
    return names;
}

std::string problem_of(const fs::path& file, const char* what) {
    return fmt::format(
        "{}: {}\n    fix: delete it; the report shows the pass before it, if there is one",
        file.string(), what);
}

Json section_of(const SampleFile& file, const std::string& set, const Passes& passes,
                const SampleDetail& detail) {
    const std::vector<std::int64_t> index = indices_in(file);
    const std::vector<float> losses = losses_in(file, index.size());
    Json notes = Json::array();
    SampleColumns columns;
    if (!losses.empty()) {
        columns["loss"] = {losses.begin(), losses.end()};
    }
    Json section = {{"kind", "samples"},
                    {"title", "Samples of " + harmless(set)},
                    {"set", harmless(set)},
                    {"epoch", harmless(file.text("epoch"))},
                    {"count", index.size()}};
    reserve_members(section);
    section["classification"] = classification_of(file, detail, columns, notes);
    section["regression"] =
        section["classification"].is_null() ? regression_of(file, columns) : Json(nullptr);
    average_labels(columns, index, passes);
    section["scores"] = add_scores(columns, file, index.size());
    const std::vector<std::size_t> rows =
        chosen(by_loss(losses, index.size(), index.size()), detail.rows);
    if (rows.size() < index.size()) {
        notes.push_back(
            fmt::format("lists have {} of {} samples, half of them those with the "
                        "highest loss; measures are of all",
                        rows.size(), index.size()));
    }
    Json left_out = file.json("left_out");
    left_out = left_out.is_object() ? left_out : Json::object();
    for (const auto& [name, numbers] : left_out.items()) {
        notes.push_back(fmt::format(
            "{} has {} numbers a sample, more than records.sample_values.max_classes; it is not "
            "recorded",
            harmless(name), numbers.is_number() ? text_of(numbers) : "more"));
    }
    Json list = Json::object();
    reserve_members(list);
    Json numbers = Json::array();
    for (const std::size_t row : rows) {
        numbers.push_back(index[row]);
    }
    list["index"] = std::move(numbers);
    for (const auto& [column, values] : columns) {
        const std::string name = harmless(column);
        list[name] = column_of(values, rows);
    }
    section["samples"] = std::move(list);
    section["segment_names"] = segment_names(file);
    section["vectors"] = drawn_vectors(file, index, rows);
    section["examples"] = examples_of(file, detail.example_bytes, notes);
    section["passes"] = passes.worst;
    section["losses_by_epoch"] = passes.losses.worst(kWorstOfAll);
    section["label_passes"] = passes.label_passes;
    section["notes"] = std::move(notes);
    return section;
}

}  // namespace

Json judged_in(const SampleFile& file, bool is_classes) {
    const Json judged = file.json("judged");
    const auto has_text = [](const Json& one, const char* key) {
        return one.contains(key) && one[key].is_string();
    };
    for (std::size_t i = 0; judged.is_array() && i < judged.size(); ++i) {
        const Json& one = judged[i];
        if (one.is_object() && has_text(one, "targets") && has_text(one, "predictions") &&
            has_text(one, "type") && one.contains("is_classes") && one["is_classes"].is_boolean() &&
            one["is_classes"].get<bool>() == is_classes &&
            file.find("stream/" + one["targets"].get<std::string>()) != nullptr &&
            file.find("stream/" + one["predictions"].get<std::string>()) != nullptr) {
            return one;
        }
    }
    return nullptr;
}

void add_samples(Json& sections, const fs::path& run, const SampleDetail& detail,
                 std::vector<std::string>& problems) {
    for (const auto& [set, files] : sample_files_of(run)) {
        Passes passes;
        const std::size_t first = files.size() - std::min(files.size(), kMaxPasses);
        std::vector<fs::path> readable;
        for (std::size_t i = first; i < files.size(); ++i) {
            try {
                add_pass(passes, SampleFile(files[i]));
                readable.push_back(files[i]);
            } catch (const FileError& error) {
                problems.push_back(problem_of(files[i], error.what()));
            }
        }
        if (readable.empty()) {
            continue;
        }
        try {
            Json section = section_of(SampleFile(readable.back()), set, passes, detail);
            section["file"] = harmless(readable.back().filename().string());
            section["more_examples"] = more_examples(section, readable, detail);
            sections.push_back(std::move(section));
        } catch (const FileError& error) {
            problems.push_back(problem_of(readable.back(), error.what()));
        }
    }
}

}  // namespace ptp::report
