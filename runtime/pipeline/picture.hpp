// What is drawn of a plan, whatever the format: components and streams as boxes, and lines between.

#pragma once

#include "pipeline/plan.hpp"

#include <string>
#include <vector>

namespace ptp::pipeline {

enum class Figure { tasks, component, stream, unread, loss };

struct PictureBox {
    Figure figure = Figure::component;
    std::string id;      // unique: "component lenet5", "stream inputs"
    std::string title;   // "lenet5"
    std::string detail;  // "LeNet5", "[B, 1, 32, 32]"
};

struct PictureLine {
    int from = -1;  // always a lower position than `to`
    int to = -1;
};

// The tasks are one box. Streams of tasks that nobody reads are left out.
struct Picture {
    std::vector<PictureBox> boxes;
    std::vector<PictureLine> lines;
};

Picture picture_of(const Plan& plan);

// "[B, 1, 28, 28]", "integers [B]", "a number": what a stream carries.
std::string carried_text(const Plan& plan, plugin::Element element,
                         const std::vector<Dimension>& shape, bool has_shape);

}  // namespace ptp::pipeline
