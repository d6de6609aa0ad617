#include "pipeline/draw.hpp"
#include "pipeline/layout.hpp"
#include "pipeline/picture.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace ptp::pipeline {

namespace {

constexpr double kTitleCharacter = 7.8;   // width at 13 px, bold
constexpr double kDetailCharacter = 6.2;  // width at 11 px
constexpr double kPadding = 14;

bool is_stream(Figure figure) {
    return figure != Figure::tasks && figure != Figure::component;
}

std::string escaped(std::string_view text) {
    std::string result;
    for (const char c : text) {
        switch (c) {
            case '<':
                result += "&lt;";
                break;
            case '>':
                result += "&gt;";
                break;
            case '&':
                result += "&amp;";
                break;
            case '"':
                result += "&quot;";
                break;
            default:
                result += c;
        }
    }
    return result;
}

std::string_view class_of(Figure figure) {
    switch (figure) {
        case Figure::tasks:
            return "tasks";
        case Figure::component:
            return "component";
        case Figure::stream:
            return "stream";
        case Figure::unread:
            return "unread";
        case Figure::loss:
            return "loss";
    }
    return "";
}

LayoutBox sized(const PictureBox& box) {
    const double title = kTitleCharacter * static_cast<double>(box.title.size());
    const double detail = kDetailCharacter * static_cast<double>(box.detail.size());
    return {.width = std::max(title, detail) + 2 * kPadding,
            .height = is_stream(box.figure) ? 34.0 : 46.0};
}

std::string box_svg(const PictureBox& box, const LayoutBox& place) {
    return fmt::format(
        "<g class=\"{0}\"><rect x=\"{1:.1f}\" y=\"{2:.1f}\" width=\"{3:.1f}\" height=\"{4:.1f}\" "
        "rx=\"{5}\"/><text class=\"title\" x=\"{6:.1f}\" y=\"{7:.1f}\">{8}</text>"
        "<text class=\"detail\" x=\"{6:.1f}\" y=\"{9:.1f}\">{10}</text></g>\n",
        class_of(box.figure), place.center.x - place.width / 2, place.center.y - place.height / 2,
        place.width, place.height, is_stream(box.figure) ? 17 : 4, place.center.x,
        place.center.y - 3, escaped(box.title), place.center.y + 12, escaped(box.detail));
}

// Smooth between layers, straight through them. It ends a little early, where the arrow's tip
// begins.
std::string line_svg(const std::vector<LayoutPoint>& points) {
    std::string path = fmt::format("M{:.1f},{:.1f}", points[0].x, points[0].y);
    for (std::size_t i = 1; i < points.size(); ++i) {
        const LayoutPoint& from = points[i - 1];
        LayoutPoint to = points[i];
        if (i + 1 == points.size())
            to.y -= 5;
        const double middle = (from.y + to.y) / 2;
        path += fmt::format(" C{:.1f},{:.1f} {:.1f},{:.1f} {:.1f},{:.1f}", from.x, middle, to.x,
                            middle, to.x, to.y);
    }
    return fmt::format("<path class=\"line\" marker-end=\"url(#tip)\" d=\"{}\"/>\n", path);
}

constexpr std::string_view kHead = R"(<style>
text { font-family: "DejaVu Sans", Verdana, sans-serif; text-anchor: middle; fill: #1c2733; }
.title { font-size: 12px; font-weight: bold; }
.detail { font-size: 10px; fill: #4a5866; }
rect { stroke: #5b6b7b; stroke-width: 1; }
.tasks rect { fill: #e2efda; }
.component rect { fill: #dde8f6; }
.stream rect { fill: #ffffff; stroke: #a9b4bf; }
.unread rect { fill: #ffffff; stroke: #a9b4bf; stroke-dasharray: 4 3; }
.loss rect { fill: #fbe9d7; stroke: #b58a5c; }
.stream .title, .unread .title, .loss .title { font-size: 11px; font-weight: normal; }
.line { fill: none; stroke: #7b8794; stroke-width: 1.2; }
</style>
<defs><marker id="tip" viewBox="0 0 6 6" refX="1" refY="3" markerWidth="5" markerHeight="5" orient="auto">
<path d="M0,0 L6,3 L0,6 z" fill="#7b8794"/></marker></defs>
<rect width="100%" height="100%" style="fill: #ffffff; stroke: none"/>
)";

}  // namespace

std::string draw_svg(const Plan& plan) {
    const Picture picture = picture_of(plan);
    std::vector<LayoutBox> boxes;
    for (const PictureBox& box : picture.boxes)
        boxes.push_back(sized(box));
    std::vector<std::pair<int, int>> lines;
    for (const PictureLine& line : picture.lines)
        lines.emplace_back(line.from, line.to);
    const Layout layout = lay_out(std::move(boxes), lines);

    std::string text = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
        "viewBox=\"0 0 {0:.0f} {1:.0f}\">\n",
        layout.width, layout.height);
    text += kHead;
    for (const auto& points : layout.lines)
        text += line_svg(points);
    for (std::size_t i = 0; i < picture.boxes.size(); ++i) {
        text += box_svg(picture.boxes[i], layout.boxes[i]);
    }
    return text + "</svg>\n";
}

}  // namespace ptp::pipeline
