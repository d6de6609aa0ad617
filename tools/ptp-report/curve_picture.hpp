// Curves as pictures of characters: each has the eight dots of the characters of braille.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

namespace ptp::report {

struct Curve {
    std::string title;
    std::vector<double> x;  // finite; its decimal logarithm on a logarithmic axis
    std::vector<double> y;  // the same
};

struct Range {
    double min = std::numeric_limits<double>::infinity();
    double max = -std::numeric_limits<double>::infinity();

    void add(double value) {
        min = std::min(min, value);
        max = std::max(max, value);
    }
    [[nodiscard]] bool is_empty() const { return min > max; }
};

struct Picture {
    Range x = {};
    Range y = {};
    std::size_t height = 0;  // in lines
    bool is_x_log = false;
    bool is_log = false;  // the y axis
    bool is_colored = false;
    std::string x_name = "episode";
};

// Prints the curves in one picture that is as wide as the terminal; without colors, one by one. The
// ranges of the picture must have been extended by all of them.
void print_picture(const Picture& picture, const std::vector<Curve>& curves);

}  // namespace ptp::report
