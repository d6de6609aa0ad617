// Draws objects that do not overlap, and computes the answers to the questions about them.

#include "scene.hpp"

#include <algorithm>
#include <cstdlib>

namespace {

struct Color {
    float red;
    float green;
    float blue;
};

// Red, green, blue, orange, gray, yellow: as in the paper.
constexpr std::array<Color, kColors> kPalette{Color{1, 0, 0},
                                              Color{0, 1, 0},
                                              Color{0, 0, 1},
                                              Color{1, 156.0f / 255, 0},
                                              Color{128.0f / 255, 128.0f / 255, 128.0f / 255},
                                              Color{1, 1, 0}};

bool overlap(const Object& a, const Object& b, int64_t radius) {
    return std::max(std::abs(a.row - b.row), std::abs(a.column - b.column)) <= 2 * radius;
}

int64_t squared_distance(const Object& a, const Object& b) {
    const int64_t rows = a.row - b.row;
    const int64_t columns = a.column - b.column;
    return rows * rows + columns * columns;
}

int64_t form_answer(Form form) {
    return form == Form::kSquare ? kSquare : kCircle;
}

// Returns the form of the nearest object if `sign` is 1, of the farthest if -1.
int64_t extreme_form(const Scene& scene, int64_t color, int64_t sign) {
    const Object& center = scene.objects[static_cast<size_t>(color)];
    int64_t best = 0;
    int64_t result = kAmbiguous;
    bool is_first = true;
    for (const Object& other : scene.objects) {
        if (&other == &center) {
            continue;
        }
        const int64_t distance = sign * squared_distance(center, other);
        const int64_t form = form_answer(other.form);
        if (is_first || distance < best) {
            best = distance;
            result = form;
        } else if (distance == best && result != form) {
            result = kAmbiguous;
        }
        is_first = false;
    }
    return result;
}

}  // namespace

Scene random_scene(int64_t image_size, ptp::Random& random) {
    Scene scene{.image_size = image_size, .objects = {}};
    const int64_t radius = Scene::radius(image_size);
    const int64_t places = image_size - 2 * radius;
    for (size_t i = 0; i < scene.objects.size(); ++i) {
        Object& object = scene.objects[i];
        object.form = random.coin() ? Form::kCircle : Form::kSquare;
        bool is_free = false;
        while (!is_free) {
            object.row = radius + random.below(places);
            object.column = radius + random.below(places);
            is_free = std::none_of(scene.objects.begin(), scene.objects.begin() + i,
                                   [&](const Object& o) { return overlap(o, object, radius); });
        }
    }
    return scene;
}

void Scene::draw(float* pixels) const {
    const int64_t plane = image_size * image_size;
    std::fill_n(pixels, 3 * plane, 1.0f);  // white
    const int64_t reach = radius(image_size);
    for (size_t i = 0; i < objects.size(); ++i) {
        const Object& object = objects[i];
        for (int64_t dy = -reach; dy <= reach; ++dy) {
            for (int64_t dx = -reach; dx <= reach; ++dx) {
                if (object.form == Form::kCircle && dx * dx + dy * dy > reach * reach) {
                    continue;
                }
                float* pixel = pixels + (object.row + dy) * image_size + object.column + dx;
                pixel[0] = kPalette[i].red;
                pixel[plane] = kPalette[i].green;
                pixel[2 * plane] = kPalette[i].blue;
            }
        }
    }
}

int64_t answer(const Scene& scene, const Question& question) {
    const Object& object = scene.objects[static_cast<size_t>(question.color)];
    const auto yes_if = [](bool is_so) -> int64_t { return is_so ? kYes : kNo; };
    if (!question.is_relational) {
        switch (question.subtype) {
            case 0:
                return form_answer(object.form);
            case 1:
                return yes_if(2 * object.column + 1 < scene.image_size);
            default:
                return yes_if(2 * object.row + 1 < scene.image_size);
        }
    }
    if (question.subtype < 2) {
        return extreme_form(scene, question.color, question.subtype == 0 ? 1 : -1);
    }
    return kOne - 1 + std::ranges::count(scene.objects, object.form, &Object::form);
}
