// Makes the picture: of a plan, or of the drafts of an experiment that has errors.

#include "base/number.hpp"
#include "pipeline/draft.hpp"
#include "pipeline/draw/draw.hpp"
#include "pipeline/sizes.hpp"
#include "pipeline/wiring.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace ptp::pipeline {

namespace {

std::string carried_text(const Plan& plan, const Binding& binding) {
    const Stream& stream = plan.streams[static_cast<std::size_t>(binding.stream)];
    const bool has_shape = binding.has_shape || stream.has_shape;
    const auto& shape = binding.has_shape ? binding.shape : stream.shape;
    if (stream.element == plugin::Element::kFloating) {
        return has_shape && shape.empty() ? "a number" : shape_text(plan, shape, has_shape);
    }
    return element_text(stream.element) + " " + shape_text(plan, shape, has_shape);
}

// Adds nodes one after another; the next one is that behind all in the picture.
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
        drawing.write(plan.streams[static_cast<std::size_t>(node.indices_stream)].name,
                      plugin::Element::kInteger, "integers [B]");
    }
    for (const auto* bindings : {&node.inputs, &node.outputs}) {
        for (const Binding& binding : *bindings) {
            if (binding.stream >= 0) {
                drawing.add_port(node.component->ports[static_cast<std::size_t>(binding.port)],
                                 plan.streams[static_cast<std::size_t>(binding.stream)].name,
                                 binding.name, carried_text(plan, binding));
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

}  // namespace ptp::pipeline
