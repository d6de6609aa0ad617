// A picture of a pipeline as text, in Graphviz's language, or laid out by Graphviz.

#pragma once

#include "pipeline/draw/picture.hpp"

#include <stdexcept>
#include <string>
#include <string_view>

namespace ptp::pipeline {

// An aligned listing in the order of execution: each component with what it reads and writes, and
// with what is wrong with it.
std::string draw_text(const Picture& picture);

// A directed graph for Graphviz: components as boxes, colored by kind. A stream that many
// components read is a line to those that it is trained through, and a label in the boxes of the
// others. Tasks are one box.
std::string draw_dot(const Picture& picture);

// Graphviz is not installed, or cannot do it; what() states which of the two, and how to continue.
class GraphvizError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

// Lays a graph of draw_dot() out and draws it in a format of Graphviz, such as "svg", "png" or
// "pdf". Opens Graphviz's library, which stays open. Throws GraphvizError. [main]
std::string render_dot(const std::string& dot, std::string_view format);

}  // namespace ptp::pipeline
