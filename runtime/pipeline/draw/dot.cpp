// The drawing in Graphviz's language. A box has, from top to bottom: streams that it reads without
// a line, name, type and kind, notes, its layers, streams that it writes without a line, and
// errors. A stream has lines unless many read it; then only those do through which gradients flow.

#include "base/text.hpp"
#include "pipeline/draw/draw.hpp"
#include "plugin/enum_names.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>

namespace ptp::pipeline {

namespace {

constexpr std::size_t kMaxTrainedLines = 6;  // to readers that continue the way of the gradients
constexpr std::size_t kMaxLines = 2;         // of a stream, before labels replace them
constexpr const char* kRed = "#c62828";

struct Colors {
    const char* fill;
    const char* border;
};

// The colors are in the order of plugin::Kind.
constexpr std::array<Colors, 7> kColors = {{{"#e2efda", "#5f8a47"},
                                            {"#dbe8f8", "#3f6ea8"},
                                            {"#fbe3cf", "#b8692a"},
                                            {"#eceff1", "#6b7b86"},
                                            {"#ece3f4", "#7d5aa0"},
                                            {"#fdf4cf", "#a58a1c"},
                                            {"#d9f0ee", "#35827b"}}};

Colors colors_of(const std::optional<plugin::Kind>& kind) {
    return kind ? kColors[static_cast<std::size_t>(*kind) - 1] : Colors{"#fdecea", kRed};
}

// A string of the language, in which a backslash would begin an escape.
std::string dot_string(std::string_view text) {
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            result += '\\';
        }
        result += c == '\n' ? "\\n" : std::string(1, c);
    }
    return result + "\"";
}

std::string with_carried(const PictureStream& stream, std::string_view between) {
    return stream.carried.empty() ? stream.name
                                  : fmt::format("{}{}{}", stream.name, between, stream.carried);
}

// Breaks a text at spaces into lines of some 46 columns, and cuts what is longer than 8 of them.
std::string wrapped(std::string_view text) {
    constexpr std::size_t kColumns = 46;
    constexpr int kLines = 8;
    std::string result;
    for (int lines = 0; !text.empty(); ++lines) {
        if (lines == kLines) {
            return result + " ...";
        }
        std::size_t end = std::min(text.find('\n'), text.size());
        if (end > kColumns) {
            const std::size_t space = text.rfind(' ', kColumns);
            end = std::min({space != text.npos ? space : text.find(' '), end, text.size()});
        }
        result += (lines == 0 ? "" : "\n") + std::string(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return result;
}

class DotWriter {
public:
    explicit DotWriter(const Picture& picture) : picture_(picture) {
        for (const PictureStream& stream : picture.streams) {
            lines_.push_back(lined_readers(stream));
        }
    }

    std::string run() {
        text_ =
            "digraph pipeline {\n"
            "    graph [rankdir=TB, nodesep=0.25, ranksep=0.3, pad=0.15, bgcolor=white];\n"
            "    node [shape=box, fontname=\"sans-serif\", fontsize=10];\n"
            "    edge [arrowsize=0.6, color=\"#6b7b86\", fontname=\"sans-serif\", fontsize=9];\n";
        write_tasks();
        for (std::size_t i = picture_.task_count; i < picture_.nodes.size(); ++i) {
            write_box(id(i), picture_.nodes[i], read_labels(i));
        }
        for (std::size_t i = 0; i < picture_.streams.size(); ++i) {
            write_stream(i);
        }
        write_order();
        if (!picture_.errors.empty()) {
            write_box("errors", {.name = "the experiment", .errors = picture_.errors}, {});
        }
        return text_ + "}\n";
    }

private:
    std::string id(std::size_t node) const {
        return node < picture_.task_count ? "tasks" : "component " + picture_.nodes[node].name;
    }

    // Returns whether a component may be trained through this stream: labels and masks of tasks
    // lead no gradients.
    bool continues(const PictureStream& by, std::size_t reader) const {
        using enum plugin::Kind;
        const auto& kind = picture_.nodes[reader].kind;
        return !kind || *kind == kModel || *kind == kTransform ||
               (*kind == kLoss && by.element == plugin::Element::kFloating &&
                *by.writer >= picture_.task_count);
    }

    std::vector<std::size_t> lined_readers(const PictureStream& stream) const {
        if (!stream.writer || stream.readers.size() <= kMaxLines) {
            return stream.writer ? stream.readers : std::vector<std::size_t>{};
        }
        std::vector<std::size_t> result = stream.readers;
        std::erase_if(result, [&](std::size_t reader) { return !continues(stream, reader); });
        return result.size() <= kMaxTrainedLines ? result : std::vector<std::size_t>{};
    }

    bool has_line(std::size_t stream, std::size_t reader) const {
        return contains(lines_[stream], reader);
    }

    std::vector<std::string> read_labels(std::size_t node) const {
        std::vector<std::string> labels;
        for (const PicturePort& port : picture_.nodes[node].ports) {
            const PictureStream& stream = picture_.streams[port.stream];
            if (port.is_input && !has_line(port.stream, node)) {
                labels.push_back("> " + stream.name + (stream.writer ? "" : " ?"));
            }
        }
        return labels;
    }

    // Appends labels of the streams that are more than lines, with what they carry, which is not
    // shown elsewhere.
    void add_written_labels(const PictureNode& node, std::vector<std::string>& labels) const {
        for (const PicturePort& port : node.ports) {
            const PictureStream& stream = picture_.streams[port.stream];
            const bool has_all_lines =
                !stream.readers.empty() && lines_[port.stream].size() == stream.readers.size();
            if (!port.is_input && !has_all_lines) {
                labels.push_back(
                    (port.is_loss ? stream.name + ", minimized" : with_carried(stream, " ")) +
                    " >");
            }
        }
    }

    void write_box(const std::string& id, const PictureNode& node,
                   std::vector<std::string> labels) {
        labels.push_back(node.name);
        if (!node.type.empty()) {
            const bool is_elsewhere = !node.stage.empty() && node.stage != "forward";
            labels.push_back(fmt::format("{}, {}{}", node.type,
                                         node.kind ? plugin::to_string(*node.kind) : "unknown type",
                                         is_elsewhere ? ", " + node.stage : ""));
        }
        for (const std::string& note : {node.turn, node.parameters, node.frozen}) {
            if (!note.empty()) {
                labels.push_back(note);
            }
        }
        for (const LayerLine& layer : node.layers) {
            labels.push_back(fmt::format("{}  {}  {}", layer.name, layer.type, layer.shape));
        }
        add_written_labels(node, labels);
        for (const std::string& error : node.errors) {
            labels.push_back(wrapped("error: " + error));
        }
        const Colors colors = colors_of(node.kind);
        const bool has_errors = !node.errors.empty();
        text_ += fmt::format(
            "    {} [label={}, style=\"filled{}\", fillcolor=\"{}\", color=\"{}\", penwidth={}];\n",
            dot_string(id), dot_string(join(labels, "\n")),
            node.frozen == "frozen" ? ",dashed"
            : node.frozen.empty()   ? ",rounded"
                                    : ",dotted",
            colors.fill, has_errors ? kRed : colors.border, has_errors ? 3 : 1);
    }

    // Writes one box for all tasks, with their outputs that a component reads, each stream once.
    void write_tasks() {
        PictureNode all{.kind = plugin::Kind::kTask};
        std::vector<std::string> names;
        std::vector<std::string> types;
        for (std::size_t i = 0; i < picture_.task_count; ++i) {
            const PictureNode& task = picture_.nodes[i];
            names.push_back(task.name);
            if (!contains(types, task.type)) {
                types.push_back(task.type);
            }
            for (const PicturePort& port : task.ports) {
                const auto is_it = [&](const PicturePort& one) {
                    return one.stream == port.stream;
                };
                if (!picture_.streams[port.stream].readers.empty() &&
                    std::ranges::none_of(all.ports, is_it)) {
                    all.ports.push_back(port);
                }
            }
            for (const std::string& error : task.errors) {
                all.errors.push_back(task.name + ": " + error);
            }
        }
        if (!names.empty()) {
            all.name = join(names, ", ");
            all.type = join(types, ", ");
            write_box("tasks", all, {});
        }
    }

    void write_line(const std::string& from, const std::string& to, std::string_view attributes) {
        text_ += fmt::format("    {} -> {}{};\n", dot_string(from), dot_string(to), attributes);
    }

    // The line to a single reader carries the stream's name; lines to several part at the name.
    void write_stream(std::size_t number) {
        const PictureStream& stream = picture_.streams[number];
        const std::vector<std::size_t>& readers = lines_[number];
        const std::string label = fmt::format(" [label={}", dot_string(with_carried(stream, "\n")));
        if (readers.size() == 1) {
            write_line(id(*stream.writer), id(readers[0]), label + "]");
        } else if (!readers.empty()) {
            const std::string point = "stream " + stream.name;
            text_ += fmt::format("    {}{}, shape=plain, fontsize=9];\n", dot_string(point), label);
            write_line(id(*stream.writer), point, " [arrowhead=none]");
            for (const std::size_t reader : readers) {
                write_line(point, id(reader), "");
            }
        }
    }

    // Places boxes that no line leads to below the last one that they depend on, in a column.
    void write_order() {
        std::map<std::size_t, std::size_t> columns;  // from a writer to the lowest box below it
        for (std::size_t node = picture_.task_count; node < picture_.nodes.size(); ++node) {
            std::optional<std::size_t> above;
            bool has_lines = false;
            for (const PicturePort& port : picture_.nodes[node].ports) {
                if (const auto& writer = picture_.streams[port.stream].writer;
                    port.is_input && writer) {
                    has_lines = has_lines || has_line(port.stream, node);
                    above = std::max(above, writer);
                }
            }
            if (above && !has_lines) {
                std::size_t& lowest = columns.try_emplace(*above, *above).first->second;
                write_line(id(lowest), id(node), " [style=invis, weight=0]");
                lowest = node;
            }
        }
    }

    const Picture& picture_;
    std::vector<std::vector<std::size_t>> lines_;  // for each stream, the readers with a line
    std::string text_;
};

}  // namespace

std::string draw_dot(const Picture& picture) {
    return DotWriter(picture).run();
}

}  // namespace ptp::pipeline
