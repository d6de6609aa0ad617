#include "pipeline/draw/draw.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace ptp::pipeline {

namespace {

// One line of the listing; the last cell is not padded.
using Cells = std::array<std::string, 6>;  // number, name, type, arrow, stream, what it carries

std::string type_text(const PictureNode& node) {
    std::string notes = frozen_text(node);
    if (!node.parameters.empty()) {
        notes += (notes.empty() ? "" : ", ") + node.parameters;
    }
    return notes.empty() ? node.type : fmt::format("{} ({})", node.type, notes);
}

Cells port_cells(const Picture& picture, const PicturePort& port) {
    const PictureStream& stream = picture.streams[static_cast<std::size_t>(port.stream)];
    Cells cells;
    cells[3] = port.is_input ? "<-" : "->";
    cells[4] = stream.name;
    cells[5] = port.carried;
    const auto add = [&](const std::string& note) {
        cells[5] += (cells[5].empty() || note.starts_with(',') ? "" : " ") + note;
    };
    if (port.name != stream.name) {
        add(fmt::format("as '{}'", port.name));
    }
    if (port.is_loss) {
        add(cells[5].empty() ? "minimized" : ", minimized");
    }
    if (stream.writer < 0) {
        add("(nothing writes it)");
    }
    return cells;
}

// The component's number, name and type are on the first of its lines only.
void add_node(const Picture& picture, const PictureNode& node, const std::string& number,
              std::vector<Cells>& rows) {
    const std::size_t first = rows.size();
    for (const PicturePort& port : node.ports) {
        rows.push_back(port_cells(picture, port));
    }
    if (rows.size() == first) {
        rows.emplace_back();
    }
    rows[first][0] = number;
    rows[first][1] = node.name;
    rows[first][2] = type_text(node);
}

std::string aligned(const Cells& row, const std::array<std::size_t, 6>& widths) {
    std::string line = fmt::format("{:>{}}", row[0], widths[0]);
    for (std::size_t i = 1; i < row.size(); ++i) {
        line += fmt::format("  {:<{}}", row[i], widths[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    return line + "\n";
}

// Below the component's lines, with the further lines of a message below each other.
std::string error_lines(const std::vector<std::string>& errors, std::size_t indent) {
    std::string text;
    for (const std::string& error : errors) {
        const std::string margin(indent, ' ');
        text += margin + "^ error: ";
        for (const char c : error) {
            text += c;
            if (c == '\n') {
                text += margin + "  ";
            }
        }
        text += "\n";
    }
    return text;
}

}  // namespace

std::string draw_text(const Picture& picture) {
    std::vector<Cells> rows;
    std::vector<std::size_t> ends;  // behind the rows of each node
    for (std::size_t i = 0; i < picture.nodes.size(); ++i) {
        const bool is_task = i < picture.task_count;
        add_node(picture, picture.nodes[i],
                 is_task ? "task" : fmt::format("{}", i + 1 - picture.task_count), rows);
        ends.push_back(rows.size());
    }
    std::array<std::size_t, 6> widths = {};
    for (const Cells& row : rows) {
        for (std::size_t i = 0; i + 1 < row.size(); ++i) {
            widths[i] = std::max(widths[i], row[i].size());
        }
    }
    std::string text;
    std::size_t row = 0;
    for (std::size_t i = 0; i < picture.nodes.size(); ++i) {
        for (; row < ends[i]; ++row) {
            text += aligned(rows[row], widths);
        }
        text += error_lines(picture.nodes[i].errors, widths[0] + 2);
    }
    return text + error_lines(picture.errors, 0);
}

}  // namespace ptp::pipeline
