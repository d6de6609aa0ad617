// Writes arrays as described in numpy.lib.format, version 1.0, and pictures by libpng.

#include "engine/explain/map_files.hpp"

#include "base/json.hpp"
#include "base/output_file.hpp"
#include "engine/output/event.hpp"

#include <ATen/ops/full.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/upsample_nearest2d.h>
#include <ATen/ops/where.h>
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace ptp::engine {

namespace {

constexpr std::int64_t kShownPixels = 224;  // of the shorter side, at least
constexpr double kFullShare = 0.99;
constexpr double kMaxColor = 0.85;  // what is left of the image below the strongest color
constexpr std::array<double, 3> kPositive = {230.0 / 255, 97.0 / 255, 1.0 / 255};
constexpr std::array<double, 3> kNegative = {94.0 / 255, 60.0 / 255, 153.0 / 255};

// [C, H, W] with values from 0 to 1, each pixel as a square of several if there are few.
at::Tensor enlarged(const at::Tensor& picture) {
    const std::int64_t shorter = std::min(picture.size(1), picture.size(2));
    const std::int64_t factor = std::max<std::int64_t>((kShownPixels + shorter - 1) / shorter, 1);
    const std::array<std::int64_t, 2> size = {picture.size(1) * factor, picture.size(2) * factor};
    return at::upsample_nearest2d(picture.unsqueeze(0), size)[0];
}

at::Tensor scaled(const at::Tensor& image) {
    const at::Tensor numbers = image.detach().to(at::kCPU, at::kDouble);
    const double smallest = numbers.min().item<double>();
    const double range = numbers.max().item<double>() - smallest;
    return range > 0 ? (numbers - smallest) / range : numbers * 0;
}

at::Tensor color(const std::array<double, 3>& parts) {
    return at::tensor(c10::ArrayRef<double>(parts), at::kDouble).view({3, 1, 1});
}

void write_png(const std::filesystem::path& path, const at::Tensor& picture) {
    replace_file(path, png_of(enlarged(picture).mul(255).round().to(at::kByte)).bytes);
}

constexpr std::int64_t kMaxPictures = 16;  // of one map of one sample

// The weights of all places, and what they are shown for.
struct Shown {
    at::Tensor weights;
    std::string label;
};

std::vector<Shown> shown_parts(const AttentionMap& map) {
    std::vector<Shown> shown;
    const at::Tensor mean = map.weights.mean(0);  // -> [rows, columns]
    if (map.is_to_itself && map.places->has_token) {
        shown.push_back({mean[0], "first token, mean of the heads"});
    } else if (map.is_to_itself) {
        shown.push_back({mean.mean(0), "mean of all places and heads"});
    } else if (map.weights.size(1) == 1) {
        for (std::int64_t i = 0; i < std::min(map.weights.size(0), kMaxPictures); ++i) {
            shown.push_back({map.weights[i][0], fmt::format("head {}", i + 1)});
        }
    } else {
        for (std::int64_t i = 0; i < std::min(mean.size(0), kMaxPictures); ++i) {
            shown.push_back({mean[i], map.rows[static_cast<std::size_t>(i)]});
        }
    }
    return shown;
}

// [columns] -> [H, W] of the image, each place as a rectangle.
at::Tensor over_image(const at::Tensor& weights, const AttendedPlaces& places,
                      const at::Tensor& image) {
    const at::Tensor grid =
        weights.narrow(0, places.has_token ? 1 : 0, places.height * places.width)
            .reshape({1, 1, places.height, places.width});
    const std::array<std::int64_t, 2> size = {image.size(1), image.size(2)};
    return at::upsample_nearest2d(grid, size)[0][0];
}

}  // namespace

void write_npy(const std::filesystem::path& path, const at::Tensor& tensor) {
    constexpr std::size_t kAlignment = 64;
    constexpr std::size_t kPreamble = 10;
    const at::Tensor numbers = tensor.to(at::kCPU, at::kFloat).contiguous();
    std::string header = fmt::format("{{'descr': '<f4', 'fortran_order': False, 'shape': ({},), }}",
                                     fmt::join(numbers.sizes(), ", "));
    const std::size_t whole = (kPreamble + header.size() + kAlignment) / kAlignment * kAlignment;
    header.resize(whole - kPreamble - 1, ' ');
    header += '\n';
    std::string content("\x93NUMPY\x01\x00", 8);
    content += static_cast<char>(header.size() & 0xFFU);
    content += static_cast<char>(header.size() >> 8U);
    content += header;
    content.append(static_cast<const char*>(numbers.data_ptr()), numbers.nbytes());
    replace_file(path, content);
}

void write_image(const std::filesystem::path& path, const at::Tensor& image) {
    const at::Tensor picture = scaled(image);
    write_png(path, picture.size(0) == 3 ? picture : picture.mean(0, true));
}

void write_heat(const std::filesystem::path& path, const at::Tensor& image,
                const at::Tensor& heat) {
    const at::Tensor gray = scaled(image).mean(0, true);
    const at::Tensor numbers = heat.detach().to(at::kCPU, at::kDouble).unsqueeze(0);
    const at::Tensor sorted = std::get<0>(numbers.abs().flatten().sort());
    const auto place =
        static_cast<std::int64_t>(kFullShare * static_cast<double>(sorted.numel() - 1));
    double full = sorted[place].item<double>();
    full = full > 0 ? full : sorted[-1].item<double>();
    const at::Tensor share =
        full > 0 ? (numbers.abs() / full).clamp_max(1) * kMaxColor : numbers * 0;
    const at::Tensor colors = at::where(numbers >= 0, color(kPositive), color(kNegative));
    write_png(path, gray * (1 - share) + colors * share);
}

Json written_attention(const std::filesystem::path& folder, std::int64_t index,
                       const AttentionMap& map, const at::Tensor& image) {
    const std::string name = fmt::format("{}_attention_{}_{}", index, map.component, map.number);
    write_npy(folder / (name + ".npy"), map.weights);
    Json facts = {{"component", map.component},
                  {"number", map.number},
                  {"numbers", name + ".npy"},
                  {"heads", map.weights.size(0)},
                  {"is_to_itself", map.is_to_itself},
                  {"rows", map.rows},
                  {"columns", map.columns}};
    if (!map.places) {
        return facts;
    }
    facts["places"] = {{"height", map.places->height},
                       {"width", map.places->width},
                       {"has_token", map.places->has_token}};
    facts["pictures"] = Json::array();
    if (!image.defined()) {
        return facts;
    }
    for (const Shown& part : shown_parts(map)) {
        const std::string file = fmt::format("{}_{}.png", name, facts["pictures"].size() + 1);
        write_heat(folder / file, image, over_image(part.weights, *map.places, image));
        facts["pictures"].push_back({{"title", part.label},
                                     {"picture", file},
                                     {"largest", part.weights.max().item<double>()}});
    }
    return facts;
}

}  // namespace ptp::engine
