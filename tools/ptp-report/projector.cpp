// Writes tables of vectors, and places images side by side.

#include "ptp-report/projector.hpp"

#include "base/file_error.hpp"
#include "base/json.hpp"
#include "base/output_file.hpp"
#include "base/ranges.hpp"
#include "base/text.hpp"
#include "ptp-report/sample_file.hpp"
#include "ptp-report/sample_vectors.hpp"
#include "ptp-report/samples_section.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ptp::report {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kMaxSpriteSide = 8192;  // of a sprite, in pixels, which browsers draw

// The images among the examples of a file.
struct Images {
    std::vector<std::int64_t> index = {};  // of their samples
    std::string bytes = {};
    std::size_t height = 0;
    std::size_t width = 0;
    std::size_t channels = 0;

    [[nodiscard]] std::size_t size() const { return height * width * channels; }
};

std::optional<Images> images_in(const SampleFile& file) {
    const Json forms = file.json("examples");
    for (auto form = forms.begin(); forms.is_object() && form != forms.end(); ++form) {
        const std::string name = "example/" + form.key();
        const SampleFile::Tensor* const tensor = file.find(name);
        if (*form != "image" || tensor == nullptr || tensor->type != "U8" ||
            tensor->shape.size() != 4 || tensor->size() == 0 || tensor->shape[1] > kMaxSpriteSide ||
            tensor->shape[2] > kMaxSpriteSide || (tensor->shape[3] != 1 && tensor->shape[3] != 3)) {
            continue;
        }
        Images images{.index = file.integers("example/index"),
                      .bytes = file.bytes(name),
                      .height = tensor->shape[1],
                      .width = tensor->shape[2],
                      .channels = tensor->shape[3]};
        if (images.index.size() == tensor->shape[0]) {
            return images;
        }
    }
    return std::nullopt;
}

// Leaves out images, evenly, that a sprite has no room for.
void keep_what_fits(Images& images, std::vector<std::size_t>& places) {
    const std::size_t room = (kMaxSpriteSide / images.height) * (kMaxSpriteSide / images.width);
    for (std::size_t i = 0; places.size() > room && i < room; ++i) {
        places[i] = places[i * places.size() / room];
    }
    places.resize(std::min(places.size(), room));
}

Sprite sprite_of(const Images& images, const std::vector<std::size_t>& places) {
    const auto square =
        static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(places.size()))));
    const std::size_t columns = std::min(square, kMaxSpriteSide / images.width);
    const std::size_t rows = (places.size() + columns - 1) / columns;
    Sprite sprite{{rows * images.height, columns * images.width}, images.height, images.width};
    tools::Picture& picture = sprite.picture;
    picture.pixels.assign(picture.height * picture.width * 3, 255);
    for (std::size_t i = 0; i < places.size(); ++i) {
        const char* const from = images.bytes.data() + places[i] * images.size();
        for (std::size_t pixel = 0; pixel < images.height * images.width; ++pixel) {
            const std::size_t y = (i / columns) * images.height + pixel / images.width;
            const std::size_t x = (i % columns) * images.width + pixel % images.width;
            for (std::size_t c = 0; c < 3; ++c) {
                picture.pixels[(y * picture.width + x) * 3 + c] = static_cast<unsigned char>(
                    from[pixel * images.channels + (images.channels == 3 ? c : 0)]);
            }
        }
    }
    return sprite;
}

// The samples of a file that are projected, and what is known of them.
struct Samples {
    std::vector<std::int64_t> index;
    std::vector<std::size_t> rows = {};  // of the file
    SampleColumns columns = {};
    Json names = {};  // of classes

    [[nodiscard]] std::string cell(const std::string& column, std::size_t row) const {
        const double value = columns.at(column)[row];
        const auto number = static_cast<std::size_t>(std::max(value, 0.0));
        return column == "loss" ? fmt::format("{:.6g}", value)
               : value < 0      ? "none"
               : names.is_array() && number < names.size() && names[number].is_string()
                   ? projector_cell(harmless(names[number].get<std::string>()))
                   : std::to_string(number);
    }
};

std::string metadata_of(const Samples& samples) {
    constexpr std::pair<const char*, const char*> kTitles[] = {
        {"target", "true"}, {"predicted", "predicted"}, {"loss", "loss"}};
    std::string lines;
    const bool has_more = !samples.columns.empty();
    for (const auto& [column, title] : kTitles) {
        lines += samples.columns.contains(column) ? fmt::format("{}\t", title) : "";
    }
    lines += has_more ? "sample\n" : "";
    for (const std::size_t row : samples.rows) {
        for (const auto& [column, title] : kTitles) {
            lines += samples.columns.contains(column) ? samples.cell(column, row) + '\t' : "";
        }
        lines += fmt::format("{}\n", samples.index[row]);
    }
    return lines;
}

Samples samples_in(const SampleFile& file) {
    Samples samples{.index = file.integers("index")};
    const std::size_t count = samples.index.size();
    add_classes(file, count, samples.columns);
    std::erase_if(samples.columns, [](const auto& column) {
        return column.first != "target" && column.first != "predicted";
    });
    for (const auto& [name, tensor] : file.tensors()) {
        if (name.ends_with(".loss") && tensor.type == "F32" && tensor.size() == count) {
            const std::vector<float> losses = file.reals(name);
            samples.columns["loss"] = {losses.begin(), losses.end()};
        }
    }
    samples.names = class_names(file);
    samples.rows.resize(count);
    std::iota(samples.rows.begin(), samples.rows.end(), std::size_t{0});
    return samples;
}

// Keeps the samples with an image, and returns their images; nullopt where there are none.
std::optional<Sprite> take_images(const SampleFile& file, Samples& samples) {
    std::optional<Images> images = images_in(file);
    if (!images) {
        return std::nullopt;
    }
    std::unordered_map<std::int64_t, std::size_t> row_of;
    for (const std::size_t row : samples.rows) {
        row_of.emplace(samples.index[row], row);
    }
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < images->index.size(); ++i) {
        if (row_of.contains(images->index[i])) {
            places.push_back(i);
        }
    }
    if (places.empty()) {
        return std::nullopt;
    }
    keep_what_fits(*images, places);
    samples.rows = transformed(
        places, [&](const std::size_t place) { return row_of.at(images->index[place]); });
    return sprite_of(*images, places);
}

void add_vectors(const SampleFile& file, const Samples& samples,
                 const std::optional<Sprite>& sprite, const std::string& set,
                 Projector& projector) {
    for (const std::string& stream : known_vectors(file, samples.index.size())) {
        const std::vector<float> numbers = file.reals("stream/" + stream, samples.rows);
        const std::size_t width = file.find("stream/" + stream)->width();
        projector.add({set + ": " + stream, numbers, width, metadata_of(samples), sprite});
    }
}

}  // namespace

Projector::Projector(fs::path folder) : folder_(std::move(folder)) {
    std::error_code told_by_the_first_file;
    fs::create_directories(folder_, told_by_the_first_file);
}

void Projector::add(const ProjectedVectors& vectors) {
    const std::string stem = fmt::format("embedding_{}", ++count_);
    std::string lines;
    for (std::size_t i = 0; i < vectors.numbers.size(); ++i) {
        lines +=
            fmt::format("{}{}", vectors.numbers[i], (i + 1) % vectors.width == 0 ? '\n' : '\t');
    }
    replace_file(folder_ / (stem + "_tensors.tsv"), lines);
    replace_file(folder_ / (stem + "_metadata.tsv"), vectors.metadata);
    config_ += fmt::format(
        "embeddings {{\n  tensor_name: {}\n  tensor_path: \"{}_tensors.tsv\"\n"
        "  metadata_path: \"{}_metadata.tsv\"\n",
        text_of(Json(harmless(vectors.name))), stem, stem);
    if (vectors.sprite) {
        replace_file(folder_ / (stem + "_sprite.png"), tools::png_of(vectors.sprite->picture));
        config_ += fmt::format(
            "  sprite {{\n    image_path: \"{}_sprite.png\"\n    single_image_dim: {}\n"
            "    single_image_dim: {}\n  }}\n",
            stem, vectors.sprite->width, vectors.sprite->height);
    }
    config_ += "}\n";
}

void Projector::finish() const {
    replace_file(folder_ / "projector_config.pbtxt", config_);
}

std::string projector_cell(std::string text) {
    std::ranges::replace_if(
        text, [](char c) { return c == '\t' || c == '\n' || c == '\r'; }, ' ');
    return text;
}

void project_samples(const fs::path& run, Projector& projector) {
    for (const auto& [set, files] : sample_files_of(run)) {
        for (auto path = files.rbegin(); path != files.rend(); ++path) {
            std::optional<SampleFile> file;
            std::optional<Samples> samples;
            std::optional<Sprite> sprite;
            try {
                file.emplace(*path);
                samples = samples_in(*file);
                sprite = take_images(*file, *samples);
            } catch (const FileError&) {  // the report names it, and shows the one before, too
                continue;
            }
            add_vectors(*file, *samples, sprite, harmless(set), projector);
            break;
        }
    }
}

}  // namespace ptp::report
