// The listing of a pipeline: a line for each port, aligned in columns.

#include "pipeline/draw/draw.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <vector>

namespace ptp::pipeline {

namespace {

// One line of the listing; the last cell is not padded.
using Cells = std::array<std::string, 6>;  // number, name, type, arrow, stream, what it carries

std::string type_text(const PictureNode& node) {
    const bool has_both = !node.frozen.empty() && !node.parameters.empty();
    const std::string notes = node.frozen + (has_both ? ", " : "") + node.parameters;
    return notes.empty() ? node.type : fmt::format("{} ({})", node.type, notes);
}

Cells port_cells(const PicturePort& port, const PictureStream& stream) {
    std::string notes = port.carried;
    const auto add = [&](std::string_view between, const std::string& note) {
        notes += (notes.empty() ? "" : std::string(between)) + note;
    };
    if (port.name != stream.name) {
        add(" ", fmt::format("as '{}'", port.name));
    }
    if (port.is_loss) {
        add(", ", "minimized");
    }
    if (!stream.writer) {
        add(" ", "(nothing writes it)");
    }
    return {"", "", "", port.is_input ? "<-" : "->", stream.name, notes};
}

// Returns the lines of a node. Its number, name and type are on the first one only.
std::vector<Cells> lines_of(const Picture& picture, std::size_t number) {
    const PictureNode& node = picture.nodes[number];
    std::vector<Cells> lines;
    for (const PicturePort& port : node.ports) {
        lines.push_back(port_cells(port, picture.streams[port.stream]));
    }
    if (lines.empty()) {
        lines.emplace_back();
    }
    const bool is_task = number < picture.task_count;
    lines[0][0] = is_task ? "task" : fmt::format("{}", number + 1 - picture.task_count);
    lines[0][1] = node.name;
    lines[0][2] = type_text(node);
    return lines;
}

std::string aligned(const Cells& line, const std::array<std::size_t, 6>& widths) {
    std::string text = fmt::format("{:>{}}", line[0], widths[0]);
    for (std::size_t i = 1; i < line.size(); ++i) {
        text += fmt::format("  {:<{}}", line[i], widths[i]);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    return text + "\n";
}

// Returns errors with the further lines of each below its first.
std::string error_lines(const std::vector<std::string>& errors, std::size_t indent) {
    const std::string margin(indent, ' ');
    std::string text;
    for (const std::string& error : errors) {
        text += margin + "^ error: ";
        for (const char c : error) {
            text += c == '\n' ? "\n" + margin + "  " : std::string(1, c);
        }
        text += "\n";
    }
    return text;
}

}  // namespace

std::string draw_text(const Picture& picture) {
    std::vector<std::vector<Cells>> nodes;
    std::array<std::size_t, 6> widths = {};
    for (std::size_t i = 0; i < picture.nodes.size(); ++i) {
        nodes.push_back(lines_of(picture, i));
        for (const Cells& line : nodes.back()) {
            for (std::size_t cell = 0; cell + 1 < line.size(); ++cell) {
                widths[cell] = std::max(widths[cell], line[cell].size());
            }
        }
    }
    std::string text;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        for (const Cells& line : nodes[i]) {
            text += aligned(line, widths);
        }
        text += error_lines(picture.nodes[i].errors, widths[0] + 2);
    }
    return text + error_lines(picture.errors, 0);
}

}  // namespace ptp::pipeline
