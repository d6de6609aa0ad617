#include "pipeline/draw.hpp"
#include "pipeline/picture.hpp"

#include <fmt/core.h>

#include <string_view>

namespace ptp::pipeline {

namespace {

std::string quoted(std::string_view text) {
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\')
            result += '\\';
        if (c == '\n') {
            result += "\\n";
        } else {
            result += c;
        }
    }
    return result + "\"";
}

std::string_view style_of(Figure figure) {
    switch (figure) {
        case Figure::tasks:
            return "shape=box, style=\"filled,bold\", fillcolor=\"#e8f0e4\"";
        case Figure::component:
            return "shape=box, style=filled, fillcolor=\"#e3ebf6\"";
        case Figure::stream:
            return "shape=plain";
        case Figure::loss:
            return "shape=plain, fontcolor=\"#a0522d\"";
        case Figure::unread:
            return "shape=plain, fontcolor=\"#888888\"";
    }
    return "";
}

}  // namespace

std::string draw_dot(const Plan& plan) {
    const Picture picture = picture_of(plan);
    std::string text =
        "digraph pipeline {\n"
        "    rankdir=TB;\n"
        "    node [fontname=\"sans-serif\", fontsize=11];\n"
        "    edge [arrowsize=0.7];\n";
    for (const PictureBox& box : picture.boxes) {
        text += fmt::format("    {} [{}, label={}];\n", quoted(box.id), style_of(box.figure),
                            quoted(box.title + "\n" + box.detail));
    }
    for (const PictureLine& line : picture.lines) {
        const auto& from = picture.boxes[static_cast<std::size_t>(line.from)];
        const auto& to = picture.boxes[static_cast<std::size_t>(line.to)];
        text += fmt::format("    {} -> {};\n", quoted(from.id), quoted(to.id));
    }
    return text + "}\n";
}

}  // namespace ptp::pipeline
