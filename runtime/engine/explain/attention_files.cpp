// Writes attention as numbers for NumPy, and over an image as pictures.

#include "engine/explain/attention_files.hpp"

#include "base/json.hpp"
#include "engine/explain/map_files.hpp"

#include <ATen/ops/upsample_nearest2d.h>
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace ptp::engine {

namespace {

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
