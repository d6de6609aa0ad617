// Makes the picture, of a plan or of the drafts of an experiment that has errors, and lists it as
// text: a line for each port, aligned in columns.

#include "base/number.hpp"
#include "pipeline/component_stages.hpp"
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
    // Adds a node of a plan, or of a draft, whose streams have names alone: `indices` is then the
    // one that the host writes. A node without a component is of an unknown type.
    void add(const Node& node, const std::string& type, const Plan* plan,
             const std::string& indices = "") {
        PictureNode& added = picture.nodes.emplace_back(PictureNode{node.name, type});
        if (node.component == nullptr) {
            return;
        }
        added.type = node.component->name;
        added.kind = node.component->kind;
        added.frozen = node.is_frozen               ? "frozen"
                       : node.frozen_layers.empty() ? ""
                                                    : "partly frozen";
        if (node.frozen_until) {
            added.frozen += fmt::format(" in the first {}", counted(*node.frozen_until, "epoch"));
        }
        added.turn = turn_text(node);
        if (!indices.empty()) {
            write(stream_named(indices), plugin::Element::kInteger,
                  plan == nullptr ? "" : "integers [B]");
        }
        if (plan != nullptr) {
            added.stage = stage_name(added.kind == plugin::Kind::kTask ? Stage::kPre : node.stage);
            added.layers = layer_lines(*plan, node);
        }
        for (const auto* bindings : {&node.inputs, &node.outputs}) {
            for (const Binding& binding : *bindings) {
                const plugin::Port& port = node.port(binding);
                // An optional input that the experiment does not wire does not exist.
                const bool is_wired = !port.is_optional || binding.wire.is_named ||
                                      port.direction == plugin::Direction::kOutput;
                if (plan != nullptr ? binding.stream >= 0
                                    : is_wired && !binding.wire.stream.empty()) {
                    add_port(port, binding, plan == nullptr ? "" : carried_text(*plan, binding));
                }
            }
        }
    }

    Picture picture;

private:
    // Adds a port of the last node.
    void add_port(const plugin::Port& port, const Binding& binding, const std::string& carried) {
        const std::size_t number = picture.nodes.size() - 1;
        const bool is_input = port.direction == plugin::Direction::kInput;
        PictureStream& stream = stream_named(binding.wire.stream);
        if (!is_input) {
            write(stream, port.element, carried);
        } else if (!contains(stream.readers, number)) {
            stream.readers.push_back(number);
        }
        picture.nodes.back().ports.push_back(
            {.is_input = is_input,
             .is_loss = port.is_loss,
             .stream = static_cast<std::size_t>(&stream - picture.streams.data()),
             .name = binding.name,
             .carried = carried});
    }

    // The last node writes the stream, unless another does.
    void write(PictureStream& stream, plugin::Element element, const std::string& carried) const {
        if (!stream.writer) {
            stream.writer = picture.nodes.size() - 1;
            stream.element = element;
            stream.carried = carried;
        }
    }

    PictureStream& stream_named(const std::string& name) {
        PictureStream* const known = find_named(picture.streams, name);
        return known != nullptr ? *known : picture.streams.emplace_back(PictureStream{name});
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
    } else if (node.frozen.find("frozen in") == std::string::npos && node.frozen != "frozen") {
        node.frozen = count.trained < count.all ? "partly frozen" : "";
    }
}

// Adds an error to the component or task whose table has the key, or which the message begins with.
// `paths` are the tables of the nodes.
void add_error(const Problem& problem, const std::vector<std::string>& paths, Picture& picture) {
    const std::string text = problem.explanation();
    for (std::size_t i = 0; i < paths.size(); ++i) {
        const std::string& key = problem.key;
        const std::string& path = paths[i];
        if (key.empty() && text.starts_with(path + ": ")) {
            picture.nodes[i].errors.push_back(text.substr(path.size() + 2));
            return;
        }
        if (key.empty() && text.starts_with(path + ".")) {  // one of its layers
            picture.nodes[i].errors.push_back(text.substr(path.size() + 1));
            return;
        }
        if (key == path || key.starts_with(path + ".") || key.starts_with(path + "[")) {
            std::string subject = key == path ? "" : key.substr(path.size() + 1);
            if (!problem.value.empty()) {
                subject += (subject.empty() ? "" : " = ") + problem.value;
            }
            picture.nodes[i].errors.push_back((subject.empty() ? "" : subject + ": ") + text);
            return;
        }
    }
    picture.errors.push_back(problem.text());
}

}  // namespace

Picture picture_of(const Plan& plan, const ParameterCounts& counts) {
    Drawing drawing;
    for (const auto* nodes : {&plan.tasks, &plan.nodes}) {
        for (const Node& node : *nodes) {
            drawing.add(node, "", &plan,
                        node.indices_stream < 0 ? "" : plan.stream(node.indices_stream).name);
            if (const auto found = counts.find(node.name); found != counts.end()) {
                add_counts(found->second, drawing.picture.nodes.back());
            }
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
    const auto add = [&](const auto& table, const std::string& name, std::optional<Draft> draft) {
        Node unknown;
        unknown.name = name;
        const bool is_task = draft && draft->node.component->kind == plugin::Kind::kTask;
        drawing.add(draft ? draft->node : unknown, table.type.empty() ? "?" : table.type, nullptr,
                    is_task ? draft->indices : "");
        paths.push_back(table.path);
    };
    for (const experiment::Section* section : experiment::run_sections(experiment)) {
        add(section->task, section->name, draft_task(*section, context));
    }
    drawing.picture.task_count = paths.size();
    for (const experiment::ComponentEntry& entry : experiment.pipeline.components) {
        if (entry.is_enabled) {
            add(entry, entry.name, draft_component(entry, experiment.pipeline, context));
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
using Cells = std::array<std::string, 7>;  // number, stage, name, type, arrow, stream, its content

std::string type_text(const PictureNode& node) {
    std::string notes;
    for (const std::string& note : {node.turn, node.frozen, node.parameters}) {
        notes += (notes.empty() || note.empty() ? "" : ", ") + note;
    }
    return notes.empty() ? node.type : fmt::format("{} ({})", node.type, notes);
}

// Returns what a port carries, and what is special about it.
std::string notes_text(const PicturePort& port, const PictureStream& stream) {
    std::string notes = port.carried;
    const auto add = [&](bool applies, std::string_view between, const std::string& note) {
        if (applies) {
            notes += (notes.empty() ? "" : std::string(between)) + note;
        }
    };
    add(port.name != stream.name, " ", fmt::format("as '{}'", port.name));
    add(port.is_loss, ", ", "minimized");
    add(!stream.writer, " ", "(nothing writes it)");
    return notes;
}

// Returns the lines of a node. Its number, name and type are on the first one only.
std::vector<Cells> lines_of(const Picture& picture, std::size_t number) {
    const PictureNode& node = picture.nodes[number];
    std::vector<Cells> lines;
    for (const PicturePort& port : node.ports) {
        const PictureStream& stream = picture.streams[port.stream];
        lines.push_back(
            {"", "", "", "", port.is_input ? "<-" : "->", stream.name, notes_text(port, stream)});
    }
    lines.resize(std::max<std::size_t>(lines.size(), 1));
    lines[0][0] =
        number < picture.task_count ? "task" : fmt::format("{}", number + 1 - picture.task_count);
    lines[0][1] = node.stage;
    lines[0][2] = node.name;
    lines[0][3] = type_text(node);
    for (const LayerLine& layer : node.layers) {
        lines.push_back({"", "", "  " + layer.name, layer.type, "", "", layer.shape});
    }
    return lines;
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
    std::array<std::size_t, 7> widths = {};
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
            text += fmt::format("{:>{}}", line[0], widths[0]);
            for (std::size_t cell = 1; cell < line.size(); ++cell) {
                const bool is_known = cell != 1 || widths[cell] > 0;  // the stages of a plan alone
                text += is_known ? fmt::format("  {:<{}}", line[cell], widths[cell]) : "";
            }
            text.erase(text.find_last_not_of(' ') + 1);
            text += "\n";
        }
        text += error_lines(picture.nodes[i].errors, widths[0] + 2);
    }
    return text + error_lines(picture.errors, 0);
}

}  // namespace ptp::pipeline
