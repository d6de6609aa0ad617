#include "pipeline/draw.hpp"
#include "pipeline/picture.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace ptp::pipeline {

namespace {

// One line of the listing; the last cell is not padded.
using Cells = std::array<std::string, 6>;  // number, name, type, arrow, stream, what it carries

void add_stream(const Plan& plan, const Node& node, const Binding& binding, bool is_input,
                Cells cells, std::vector<Cells>& rows) {
    if (binding.stream < 0)
        return;
    const Stream& stream = plan.streams[static_cast<std::size_t>(binding.stream)];
    cells[3] = is_input ? "<-" : "->";
    cells[4] = stream.name;
    cells[5] = binding.has_shape
                   ? carried_text(plan, stream.element, binding.shape, true)
                   : carried_text(plan, stream.element, stream.shape, stream.has_shape);
    const auto& port = node.component->ports[static_cast<std::size_t>(binding.port)];
    if (binding.name != stream.name)
        cells[5] += fmt::format(" as '{}'", binding.name);
    if (port.is_loss)
        cells[5] += ", minimised";
    rows.push_back(std::move(cells));
}

// The component's number, name and type stand on the first of its lines only.
void add_node(const Plan& plan, const Node& node, const std::string& number,
              std::vector<Cells>& rows) {
    const std::size_t first = rows.size();
    for (const Binding& input : node.inputs)
        add_stream(plan, node, input, true, {}, rows);
    for (const Binding& output : node.outputs)
        add_stream(plan, node, output, false, {}, rows);
    if (rows.size() == first)
        rows.emplace_back();
    rows[first][0] = number;
    rows[first][1] = node.name;
    rows[first][2] = node.component->name + (node.is_frozen ? " (frozen)" : "");
}

}  // namespace

std::string draw_text(const Plan& plan) {
    std::vector<Cells> rows;
    for (const Node& task : plan.tasks)
        add_node(plan, task, "task", rows);
    for (std::size_t i = 0; i < plan.nodes.size(); ++i) {
        add_node(plan, plan.nodes[i], fmt::format("{}", i + 1), rows);
    }
    std::array<std::size_t, 6> widths = {};
    for (const Cells& row : rows) {
        for (std::size_t i = 0; i + 1 < row.size(); ++i) {
            widths[i] = std::max(widths[i], row[i].size());
        }
    }
    std::string text;
    for (const Cells& row : rows) {
        std::string line = fmt::format("{:>{}}", row[0], widths[0]);
        for (std::size_t i = 1; i < row.size(); ++i) {
            line += fmt::format("  {:<{}}", row[i], widths[i]);
        }
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + "\n";
    }
    return text;
}

}  // namespace ptp::pipeline
