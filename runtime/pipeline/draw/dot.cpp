// Rules of the drawing. A box shows, from top to bottom: streams that it reads without a line,
// name, type and kind, notes, and streams that it writes without a line. A stream has lines unless
// many read it; then only those do that continue the way of the gradients.

#include "pipeline/draw/dot_text.hpp"
#include "pipeline/draw/draw.hpp"
#include "plugin/enum_names.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

namespace ptp::pipeline {

namespace {

constexpr std::size_t kMaxTrainedLines = 6;   // to readers that continue the way of the gradients
constexpr std::size_t kMaxLines = 2;          // of a stream, before labels replace them
constexpr std::string_view kTasks = "tasks";  // the box of all tasks

struct Colors {
    std::string_view fill;
    std::string_view border;
};

Colors colors_of(const std::optional<plugin::Kind>& kind) {
    if (!kind) {
        return {"#fdecea", "#c62828"};
    }
    switch (*kind) {
        case plugin::Kind::kTask:
            return {"#e2efda", "#5f8a47"};
        case plugin::Kind::kModel:
            return {"#dbe8f8", "#3f6ea8"};
        case plugin::Kind::kLoss:
            return {"#fbe3cf", "#b8692a"};
        case plugin::Kind::kTransform:
            return {"#eceff1", "#6b7b86"};
        case plugin::Kind::kStatistic:
            return {"#ece3f4", "#7d5aa0"};
        case plugin::Kind::kPublisher:
            return {"#fdf4cf", "#a58a1c"};
        case plugin::Kind::kViewer:
            return {"#d9f0ee", "#35827b"};
    }
    return {"#ffffff", "#000000"};
}

class DotWriter {
public:
    explicit DotWriter(const Picture& picture) : picture_(picture) {}

    std::string run() {
        text_ =
            "digraph pipeline {\n"
            "    graph [rankdir=TB, nodesep=0.25, ranksep=0.3, pad=0.15, bgcolor=white, "
            "fontname=\"sans-serif\", fontsize=10];\n"
            "    node [shape=plain, fontname=\"sans-serif\", fontsize=11];\n"
            "    edge [arrowsize=0.6, color=\"#6b7b86\", fontname=\"sans-serif\"];\n";
        write_tasks();
        for (std::size_t i = picture_.task_count; i < picture_.nodes.size(); ++i) {
            write_node(i);
        }
        for (std::size_t i = 0; i < picture_.streams.size(); ++i) {
            write_stream(static_cast<int>(i));
        }
        write_order();
        write_errors();
        return text_ + "}\n";
    }

private:
    const PictureNode& node(int number) const {
        return picture_.nodes[static_cast<std::size_t>(number)];
    }
    const PictureStream& stream(int number) const {
        return picture_.streams[static_cast<std::size_t>(number)];
    }
    bool is_task(int number) const {
        return static_cast<std::size_t>(number) < picture_.task_count;
    }
    std::string id(int number) const {
        return dot_string(is_task(number) ? std::string(kTasks) : "component " + node(number).name);
    }

    // Returns whether a component may be trained through this stream: labels and masks of tasks
    // lead no gradients.
    bool continues(const PictureStream& by, int reader) const {
        const auto& kind = node(reader).kind;
        if (!kind) {
            return true;
        }
        const bool is_of_loss = *kind == plugin::Kind::kLoss &&
                                by.element == plugin::Element::kFloating && !is_task(by.writer);
        return *kind == plugin::Kind::kModel || *kind == plugin::Kind::kTransform || is_of_loss;
    }

    // The readers that get a line.
    std::vector<int> lined(const PictureStream& of) const {
        if (of.writer < 0 || of.readers.size() <= kMaxLines) {
            return of.writer < 0 ? std::vector<int>{} : of.readers;
        }
        std::vector<int> result;
        std::ranges::copy_if(of.readers, std::back_inserter(result),
                             [&](int reader) { return continues(of, reader); });
        return result.size() <= kMaxTrainedLines ? result : std::vector<int>{};
    }

    bool has_line(const PictureStream& of, int reader) const {
        const std::vector<int> readers = lined(of);
        return std::ranges::find(readers, reader) != readers.end();
    }

    std::vector<Label> read_labels(std::size_t number) const {
        std::vector<Label> labels;
        for (const PicturePort& port : picture_.nodes[number].ports) {
            const PictureStream& read = stream(port.stream);
            if (!port.is_input || has_line(read, static_cast<int>(number))) {
                continue;
            }
            if (read.writer < 0) {
                labels.push_back({read.name + " ?", "#fdecea", "#c62828"});
            } else {
                labels.push_back({read.name});
            }
        }
        return labels;
    }

    // Returns labels of the streams that are more than lines, with what they carry, which is not
    // shown elsewhere.
    std::vector<Label> written_labels(const PictureNode& writer) const {
        std::vector<Label> labels;
        for (const PicturePort& port : writer.ports) {
            const PictureStream& written = stream(port.stream);
            if (port.is_input || lined(written).size() == written.readers.size()) {
                if (port.is_input || !written.readers.empty()) {
                    continue;
                }
            }
            const std::string text =
                written.name + (written.carried.empty() ? "" : " " + written.carried);
            if (port.is_loss) {
                labels.push_back({written.name + ", minimized", "#f6c89f", "#b8692a"});
            } else if (written.readers.empty()) {
                labels.push_back({text, "#ffffff", "#c3ccd3", "DASHED,ROUNDED"});
            } else {
                labels.push_back({text});
            }
        }
        return labels;
    }

    static const char* border_style(const PictureNode& drawn) {
        return drawn.is_frozen          ? "DASHED,ROUNDED"
               : drawn.is_partly_frozen ? "DOTTED,ROUNDED"
                                        : "ROUNDED";
    }

    void write_box(const std::string& id, const PictureNode& drawn, const std::vector<Label>& read,
                   const std::vector<Label>& written) {
        const bool has_errors = !drawn.errors.empty();
        const Colors colors = colors_of(drawn.kind);
        const std::string kind =
            drawn.kind ? std::string(plugin::to_string(*drawn.kind)) : "unknown type";
        std::string rows = label_rows(read);
        rows += fmt::format("<TR><TD><B>{}</B><BR/>{}</TD></TR>", escaped(drawn.name),
                            small(fmt::format("{}, {}", escaped(drawn.type), kind)));
        std::string notes = drawn.parameters;
        if (const std::string frozen = frozen_text(drawn); !frozen.empty()) {
            notes += (notes.empty() ? "" : ", ") + frozen;
        }
        if (!notes.empty()) {
            rows += fmt::format("<TR><TD>{}</TD></TR>", small(escaped(notes)));
        }
        rows += label_rows(written);
        rows += error_rows(drawn.errors);
        text_ += fmt::format(
            "    {} [label=<<TABLE BORDER=\"{}\" CELLBORDER=\"0\" CELLSPACING=\"0\" "
            "CELLPADDING=\"3\" STYLE=\"{}\" COLOR=\"{}\" BGCOLOR=\"{}\">{}</TABLE>>, "
            "tooltip={}];\n",
            id, has_errors ? 3 : 1, border_style(drawn), has_errors ? "#c62828" : colors.border,
            colors.fill, rows, dot_string(drawn.name + " (" + drawn.type + ")"));
    }

    // Adds the outputs that a component reads, each stream once, and the errors.
    void add_task(const PictureNode& task, PictureNode& all) const {
        for (const PicturePort& port : task.ports) {
            const bool is_new = std::ranges::none_of(
                all.ports, [&](const PicturePort& p) { return p.stream == port.stream; });
            if (is_new && !stream(port.stream).readers.empty()) {
                all.ports.push_back(port);
            }
        }
        for (const std::string& error : task.errors) {
            all.errors.push_back(task.name + ": " + error);
        }
    }

    void write_tasks() {
        if (picture_.task_count == 0) {
            return;
        }
        PictureNode all{.name = "", .type = "", .kind = plugin::Kind::kTask};
        std::vector<std::string> types;
        for (std::size_t i = 0; i < picture_.task_count; ++i) {
            const PictureNode& task = picture_.nodes[i];
            all.name += (i == 0 ? "" : ", ") + task.name;
            if (std::ranges::find(types, task.type) == types.end()) {
                types.push_back(task.type);
            }
            add_task(task, all);
        }
        for (std::size_t i = 0; i < types.size(); ++i) {
            all.type += (i == 0 ? "" : ", ") + types[i];
        }
        write_box(dot_string(kTasks), all, {}, written_labels(all));
    }

    void write_node(std::size_t number) {
        const PictureNode& drawn = picture_.nodes[number];
        write_box(id(static_cast<int>(number)), drawn, read_labels(number), written_labels(drawn));
    }

    void write_line(const std::string& from, const std::string& to, std::string_view attributes) {
        text_ += fmt::format("    {} -> {}{};\n", from, to, attributes);
    }

    // One reader: the line carries the stream's name. More: the lines part at the name.
    void write_stream(int number) {
        const PictureStream& drawn = stream(number);
        const std::vector<int> readers = lined(drawn);
        if (readers.empty()) {
            return;
        }
        const std::string label =
            fmt::format("<{}<BR/>{}>", small("<B>" + escaped(drawn.name) + "</B>"),
                        small(escaped(drawn.carried), "#6b7b86"));
        if (readers.size() == 1) {
            write_line(id(drawn.writer), id(readers[0]), fmt::format(" [label={}]", label));
            return;
        }
        const std::string point = dot_string("stream " + drawn.name);
        text_ +=
            fmt::format("    {} [label={}, tooltip={}];\n", point, label, dot_string(drawn.name));
        write_line(id(drawn.writer), point, " [arrowhead=none]");
        for (const int reader : readers) {
            write_line(point, id(reader), "");
        }
    }

    // A box that no line leads to is placed below those that it depends on, too.
    void write_order() {
        std::map<int, int> columns;  // from a writer to the lowest box below it
        for (std::size_t i = picture_.task_count; i < picture_.nodes.size(); ++i) {
            const int number = static_cast<int>(i);
            std::vector<int> writers;
            bool is_led_to = false;
            for (const PictureStream& read : picture_.streams) {
                if (read.writer < 0 ||
                    std::ranges::find(read.readers, number) == read.readers.end()) {
                    continue;
                }
                is_led_to = is_led_to || has_line(read, number);
                writers.push_back(read.writer);
            }
            if (is_led_to || writers.empty()) {
                continue;
            }
            // The last that is written is the nearest. Several boxes below it form a column.
            const int nearest = *std::ranges::max_element(writers);
            const auto [above, is_first] = columns.try_emplace(nearest, nearest);
            write_line(id(above->second), id(number), " [style=invis, weight=0]");
            above->second = number;
        }
    }

    void write_errors() {
        if (picture_.errors.empty()) {
            return;
        }
        const std::string rows =
            "<TR><TD><B>the experiment</B></TD></TR>" + error_rows(picture_.errors);
        text_ += fmt::format(
            "    \"errors\" [label=<<TABLE BORDER=\"3\" CELLBORDER=\"0\" CELLSPACING=\"0\" "
            "CELLPADDING=\"3\" STYLE=\"ROUNDED\" COLOR=\"#c62828\" "
            "BGCOLOR=\"#ffffff\">{}</TABLE>>];\n",
            rows);
    }

    const Picture& picture_;
    std::string text_;
};

}  // namespace

std::string draw_dot(const Picture& picture) {
    return DotWriter(picture).run();
}

}  // namespace ptp::pipeline
