// Places shapes that do not touch, and draws them and their masks.

#include "shape_scene.hpp"

#include <algorithm>
#include <cstdlib>
#include <tuple>
#include <utility>

namespace {

bool touch(const Shape& a, const Shape& b) {
    return std::max(std::abs(a.row - b.row), std::abs(a.column - b.column)) <=
           a.radius + b.radius + 1;
}

// Calls `at(index of the pixel)` for all pixels of the shape.
template <class Function>
void for_each_pixel(const Shape& shape, int64_t image_size, Function at) {
    for (int64_t rows = -shape.radius; rows <= shape.radius; ++rows) {
        for (int64_t columns = -shape.radius; columns <= shape.radius; ++columns) {
            if (shape.covers(rows, columns)) {
                at((shape.row + rows) * image_size + shape.column + columns);
            }
        }
    }
}

Shape random_shape(int64_t image_size, ptp::Random& random) {
    Shape shape;
    shape.kind = static_cast<ShapeKind>(random.below(kShapeNames.size()));
    const int64_t least = image_size / 16;
    shape.radius = least + random.below(image_size / 8 - least + 1);
    shape.quarter_turns = random.below(4);
    for (float& value : shape.color) {
        value = static_cast<float>(random.uniform(0.5, 1.0));
    }
    return shape;
}

// Returns false if no free position was found.
bool place(Shape& shape, const ShapeScene& scene, ptp::Random& random) {
    constexpr int kTries = 50;
    const int64_t places = scene.image_size - 2 * shape.radius;
    for (int i = 0; i < kTries; ++i) {
        shape.row = shape.radius + random.below(places);
        shape.column = shape.radius + random.below(places);
        if (std::ranges::none_of(scene.shapes, [&](const Shape& s) { return touch(s, shape); })) {
            return true;
        }
    }
    return false;
}

}  // namespace

bool Shape::covers(int64_t rows, int64_t columns) const {
    const int64_t down = std::abs(rows);
    const int64_t across = std::abs(columns);
    if (std::max(down, across) > radius) {
        return false;
    }
    switch (kind) {
        case ShapeKind::kCircle:
            return rows * rows + columns * columns <= radius * radius;
        case ShapeKind::kSquare:
            return true;
        case ShapeKind::kCross:
            return 3 * std::min(down, across) <= radius;
        case ShapeKind::kTriangle:
            break;
    }
    // From its tip it widens by one pixel to each side every second row.
    const std::array<std::pair<int64_t, int64_t>, 4> turned{
        {{rows, across}, {columns, down}, {-rows, across}, {-columns, down}}};
    const auto [along, aside] = turned[static_cast<size_t>(quarter_turns)];
    return 2 * aside <= along + radius;
}

int64_t Shape::area() const {
    int64_t count = 0;
    for_each_pixel(*this, 0, [&](int64_t) { ++count; });
    return count;
}

void ShapeScene::draw(float* pixels) const {
    const int64_t plane = image_size * image_size;
    std::fill_n(pixels, 3 * plane, background);
    for (const Shape& shape : shapes) {
        for_each_pixel(shape, image_size, [&](int64_t pixel) {
            for (const float value : shape.color) {
                pixels[pixel] = value;
                pixel += plane;
            }
        });
    }
}

void ShapeScene::draw_segments(int64_t* kinds, int64_t* instances) const {
    std::fill_n(kinds, image_size * image_size, 0);
    std::fill_n(instances, image_size * image_size, 0);
    int64_t instance = 0;
    for (const Shape& shape : shapes) {
        ++instance;
        for_each_pixel(shape, image_size, [&](int64_t pixel) {
            kinds[pixel] = static_cast<int64_t>(shape.kind) + 1;
            instances[pixel] = instance;
        });
    }
}

std::string ShapeScene::caption() const {
    constexpr std::array kRows{" at top", " at middle", " at bottom"};
    constexpr std::array kColumns{" left", " center", " right"};
    struct Mention {
        int64_t ninth;
        std::string text;
    };
    std::vector<Mention> mentions;
    for (const Shape& shape : shapes) {
        const auto row = static_cast<size_t>(3 * shape.row / image_size);
        const auto column = static_cast<size_t>(3 * shape.column / image_size);
        const bool is_large = 32 * shape.radius > 3 * image_size;
        std::string text = is_large ? "large " : "small ";
        text += kShapeNames[static_cast<size_t>(shape.kind)];
        text += kRows[row];
        text += kColumns[column];
        mentions.push_back({static_cast<int64_t>(3 * row + column), std::move(text)});
    }
    std::ranges::sort(mentions, {},
                      [](const Mention& one) { return std::tie(one.ninth, one.text); });
    std::string caption;
    for (const Mention& one : mentions) {
        caption += (caption.empty() ? "" : " and ") + one.text;
    }
    return caption;
}

ShapeScene random_shapes(int64_t image_size, const ShapeCounts& counts, ptp::Random& random) {
    ShapeScene scene{.image_size = image_size,
                     .background = static_cast<float>(random.uniform(0.0, 0.4)),
                     .shapes = {}};
    const int64_t count = counts.least + random.below(counts.most - counts.least + 1);
    while (static_cast<int64_t>(scene.shapes.size()) < count) {
        Shape shape = random_shape(image_size, random);
        if (place(shape, scene, random)) {
            scene.shapes.push_back(shape);
        } else {
            scene.shapes.clear();  // they block each other
        }
    }
    return scene;
}
