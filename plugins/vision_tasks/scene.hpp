// The pictures of Sort-of-CLEVR and the questions about them.
#pragma once

#include <ptp/random.hpp>

#include <array>
#include <cstdint>

constexpr int64_t kColors = 6;

enum class Form { kSquare, kCircle };

struct Object {
    Form form = Form::kSquare;
    int64_t row = 0;     // of its center
    int64_t column = 0;  // of its center
};

// Six objects that do not overlap, one of each color.
struct Scene {
    int64_t image_size = 0;
    std::array<Object, kColors> objects;

    static int64_t radius(int64_t image_size) { return image_size / 15; }

    // Writes red, green and blue planes of image_size x image_size, in [0, 1].
    void draw(float* pixels) const;
};

Scene random_scene(int64_t image_size, ptp::Random& random);

struct Question {
    int64_t color = 0;
    bool is_relational = false;
    int64_t subtype = 0;  // see answer()
};

// The numbers of the answers.
enum Answer : int64_t { kYes, kNo, kSquare, kCircle, kOne, kAmbiguous = -1 };

// Returns the answer. Non-relational: 0 the form of the object, 1 whether it is in the left half, 2
// in the upper half. Relational: 0 the form of the nearest other object, 1 of the farthest, 2 the
// number of objects with its form, including itself. kAmbiguous if two objects of different forms
// are equally near or far.
int64_t answer(const Scene& scene, const Question& question);
