// Makes the picture, of a plan or of the drafts of an experiment that has errors, and lists it as
// text: a line for each port, aligned in columns.

#include "base/number.hpp"
#include "pipeline/draft.hpp"
#include "pipeline/draw/draw.hpp"
#include "pipeline/sizes.hpp"
#include "pipeline/wiring.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace ptp::pipeline {

namespace {

std::string carried_text(const Plan& plan, const Binding& binding) {
    const Stream& stream = plan.stream(binding.stream);
    const bool has_shape = binding.has_shape || stream.has_shape;
    const auto& shape = binding.has_shape ? binding.shape : stream.shape;
    if (stream.element == plugin::Element::kFloating) {
        return has_shape && shape.empty() ? "a number" : shape_text(plan, shape, has_shape);
    }
    return element_text(stream.element) + " " + shape_text(plan, shape, has_shape);
}

// Adds nodes, one after another, and the streams that they read and write.
class Drawing {
public:
    // Begins a node. A node without a component is of an unknown type.
    void begin(std::string name, std::string type, const Node* node) {
        picture.nodes.push_back({.name = std::move(name), .type = std::move(type)});
        if (node != nullptr) {
            last().type = node->component->name;
            last().kind = node->component->kind;
            last().frozen = node->is_frozen               ? "frozen"
                            : node->frozen_layers.empty() ? ""
                                                          : "partly frozen";
        }
    }

    PictureNode& last() { return picture.nodes.back(); }

    // Adds a port of the last node, which reads or writes this stream.
    void add_port(const plugin::Port& declared, const std::string& stream, std::string name,
                  std::string carried = "") {
        const bool is_input = declared.direction == plugin::Direction::kInput;
        if (is_input) {
            std::vector<std::size_t>& readers = stream_named(stream).readers;
            if (readers.empty() || readers.back() != picture.nodes.size() - 1) {
                readers.push_back(picture.nodes.size() - 1);
            }
        } else {
            write(stream, declared.element, carried);
        }
        last().ports.push_back(
            {.is_input = is_input,
             .is_loss = declared.is_loss,
             .stream = static_cast<std::size_t>(&stream_named(stream) - picture.streams.data()),
             .name = std::move(name),
             .carried = std::move(carried)});
    }

    // The last node writes the stream, unless another does.
    void write(const std::string& name, plugin::Element element, const std::string& carried) {
        PictureStream& stream = stream_named(name);
        if (!stream.writer) {
            stream.writer = picture.nodes.size() - 1;
            stream.element = element;
            stream.carried = carried;
        }
    }

    Picture picture;

private:
    PictureStream& stream_named(const std::string& name) {
        const auto found = std::ranges::find(picture.streams, name, &PictureStream::name);
        return found != picture.streams.end() ? *found
                                              : picture.streams.emplace_back(PictureStream{name});
    }
};

void add_counts(const ParameterCount& count, PictureNode& node) {
    if (count.all == 0) {
        return;
    }
    node.parameters = fmt::format("{} parameters", grouped(std::to_string(count.all)));
    if (count.trained < count.all) {
        node.parameters += fmt::format(", {} trained", grouped(std::to_string(count.trained)));
    }
    if (count.trained == 0) {
        node.frozen = "frozen";
    } else if (node.frozen != "frozen") {
        node.frozen = count.trained < count.all ? "partly frozen" : "";
    }
}

void add_node(const Plan& plan, const Node& node, const ParameterCounts& counts, Drawing& drawing) {
    drawing.begin(node.name, "", &node);
    if (const auto found = counts.find(node.name); found != counts.end()) {
        add_counts(found->second, drawing.last());
    }
    if (node.indices_stream >= 0) {
        drawing.write(plan.stream(node.indices_stream).name, plugin::Element::kInteger,
                      "integers [B]");
    }
    for (const auto* bindings : {&node.inputs, &node.outputs}) {
        for (const Binding& binding : *bindings) {
            if (binding.stream >= 0) {
                drawing.add_port(node.port(binding), plan.stream(binding.stream).name, binding.name,
                                 carried_text(plan, binding));
            }
        }
    }
}

void add_draft(const std::string& name, const std::string& type, const std::optional<Draft>& draft,
               Drawing& drawing) {
    drawing.begin(name, type.empty() ? "?" : type, draft ? &draft->node : nullptr);
    if (!draft) {
        return;
    }
    if (drawing.last().kind == plugin::Kind::kTask) {
        drawing.write(draft->indices, plugin::Element::kInteger, "");
    }
    const auto add = [&](const std::vector<Binding>& bindings, const std::vector<Wire>& wires) {
        for (std::size_t i = 0; i < wires.size(); ++i) {
            const plugin::Port& port = draft->port(bindings[i]);
            const bool is_input = port.direction == plugin::Direction::kInput;
            // An optional input that the experiment does not wire does not exist.
            const bool exists = !is_input || wires[i].is_named || !port.is_optional;
            if (exists && !wires[i].stream.empty()) {
                drawing.add_port(port, wires[i].stream, bindings[i].name);
            }
        }
    };
    add(draft->node.inputs, draft->inputs);
    add(draft->node.outputs, draft->outputs);
}

// Adds an error to the component or task whose table has the key, or which the message begins with.
// `paths` are the tables of the nodes.
void add_error(const Problem& problem, const std::vector<std::string>& paths, Picture& picture) {
    const std::string text = problem.explanation();
    for (std::size_t i = 0; i < paths.size(); ++i) {
        const std::string_view key = problem.key;
        const std::string& path = paths[i];
        if (key.empty() && text.starts_with(path + ": ")) {
            picture.nodes[i].errors.push_back(text.substr(path.size() + 2));
            return;
        }
        if (key != path && !key.starts_with(path + ".") && !key.starts_with(path + "[")) {
            continue;
        }
        std::string subject(key == path ? "" : key.substr(path.size() + 1));
        if (!problem.value.empty()) {
            subject += (subject.empty() ? "" : " = ") + problem.value;
        }
        picture.nodes[i].errors.push_back((subject.empty() ? "" : subject + ": ") + text);
        return;
    }
    picture.errors.push_back(problem.text());
}

}  // namespace

Picture picture_of(const Plan& plan, const ParameterCounts& counts) {
    Drawing drawing;
    for (const auto* nodes : {&plan.tasks, &plan.nodes}) {
        for (const Node& node : *nodes) {
            add_node(plan, node, counts, drawing);
        }
    }
    drawing.picture.task_count = plan.tasks.size();
    return std::move(drawing.picture);
}

Picture picture_of(const experiment::Experiment& experiment, const plugin::Catalog& catalog,
                   const std::filesystem::path& home, const Diagnostics& problems) {
    Drawing drawing;
    Diagnostics ignored;  // they were reported when the plan was made
    const DraftContext context{catalog, home, ignored};
    std::vector<std::string> paths;
    for (const experiment::Section* section : experiment::run_sections(experiment)) {
        add_draft(section->name, section->task.type, draft_task(*section, context), drawing);
        paths.push_back(section->task.path);
    }
    drawing.picture.task_count = paths.size();
    for (const experiment::ComponentEntry& entry : experiment.pipeline.components) {
        if (entry.is_enabled) {
            add_draft(entry.name, entry.type, draft_component(entry, experiment.pipeline, context),
                      drawing);
            paths.push_back(entry.path);
        }
    }
    for (const Problem& problem : problems.sorted()) {
        if (problem.severity == Severity::kError) {
            add_error(problem, paths, drawing.picture);
        }
    }
    return std::move(drawing.picture);
}

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
