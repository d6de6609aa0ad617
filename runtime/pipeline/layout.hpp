// Places boxes in layers, top to bottom, so that lines cross little and go around boxes.

#pragma once

#include <utility>
#include <vector>

namespace ptp::pipeline {

struct LayoutPoint {
    double x = 0;
    double y = 0;
};

struct LayoutBox {
    double width = 0;
    double height = 0;
    LayoutPoint center = {};  // found by lay_out()
};

struct Layout {
    std::vector<LayoutBox> boxes;
    std::vector<std::vector<LayoutPoint>> lines;  // from the bottom of a box to the top of another
    double width = 0;
    double height = 0;
};

// Each line goes from a box to one with a higher number. The same input always gives the same
// picture.
Layout lay_out(std::vector<LayoutBox> boxes, const std::vector<std::pair<int, int>>& lines);

}  // namespace ptp::pipeline
