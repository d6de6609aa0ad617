#include "pipeline/draft.hpp"
#include "pipeline/draw/picture.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace ptp::pipeline {

namespace {

class FailedDrawer {
public:
    FailedDrawer(const experiment::Experiment& experiment, const plugin::Catalog& catalog,
                 const std::filesystem::path& home)
        : experiment_(experiment), context_{catalog, home, ignored_} {}

    Picture run(const Diagnostics& problems) {
        for (const experiment::Section* section : experiment::run_sections(experiment_)) {
            add_task(*section);
        }
        picture_.task_count = picture_.nodes.size();
        for (const experiment::ComponentEntry& entry : experiment_.pipeline.components) {
            if (entry.is_enabled) {
                add(entry.name, entry.type, entry.path,
                    draft_component(entry, experiment_.pipeline, context_));
            }
        }
        for (const Problem& problem : problems.sorted()) {
            if (problem.severity == Severity::kError) {
                add_error(problem);
            }
        }
        return std::move(picture_);
    }

private:
    void add_task(const experiment::Section& section) {
        add(section.name, section.task.type, section.task.path, draft_task(section, context_));
    }

    void add(const std::string& name, const std::string& type, const std::string& path,
             const std::optional<Draft>& draft) {
        PictureNode node{.name = name, .type = type.empty() ? "?" : type};
        if (draft) {
            node.type = draft->node.component->name;
            node.kind = draft->node.component->kind;
            node.is_frozen = draft->node.is_frozen;
            node.is_partly_frozen = !node.is_frozen && !draft->node.frozen_layers.empty();
            if (node.kind == plugin::Kind::kTask) {
                write(stream_named(draft->indices), plugin::Element::kInteger);
            }
            add_ports(*draft, draft->node.inputs, draft->inputs, true, node);
            add_ports(*draft, draft->node.outputs, draft->outputs, false, node);
        }
        picture_.nodes.push_back(std::move(node));
        paths_.push_back(path);
    }

    void add_ports(const Draft& draft, const std::vector<Binding>& bindings,
                   const std::vector<Wire>& wires, bool is_input, PictureNode& node) {
        const int number = static_cast<int>(picture_.nodes.size());
        for (std::size_t i = 0; i < wires.size(); ++i) {
            if (wires[i].stream.empty() || (is_input && !is_wired(draft, bindings[i], wires[i]))) {
                continue;
            }
            const plugin::Port& declared = draft.port(bindings[i]);
            const int position = stream_named(wires[i].stream);
            PictureStream& stream = picture_.streams[static_cast<std::size_t>(position)];
            if (!is_input) {
                write(position, declared.element);
            } else if (stream.readers.empty() || stream.readers.back() != number) {
                stream.readers.push_back(number);
            }
            node.ports.push_back({.is_input = is_input,
                                  .is_loss = declared.is_loss,
                                  .stream = position,
                                  .name = bindings[i].name});
        }
    }

    // The node that is added next writes the stream, unless another does.
    void write(int position, plugin::Element element) {
        PictureStream& stream = picture_.streams[static_cast<std::size_t>(position)];
        if (stream.writer < 0) {
            stream.writer = static_cast<int>(picture_.nodes.size());
            stream.element = element;
        }
    }

    // An optional input that the experiment does not wire does not exist.
    static bool is_wired(const Draft& draft, const Binding& binding, const Wire& wire) {
        return wire.is_named || !draft.port(binding).is_optional;
    }

    int stream_named(const std::string& name) {
        const auto found = std::ranges::find(picture_.streams, name, &PictureStream::name);
        if (found != picture_.streams.end()) {
            return static_cast<int>(found - picture_.streams.begin());
        }
        picture_.streams.push_back({.name = name});
        return static_cast<int>(picture_.streams.size()) - 1;
    }

    // To the component or task whose table has the key, or which the message begins with.
    void add_error(const Problem& problem) {
        for (std::size_t i = 0; i < paths_.size(); ++i) {
            const std::string& path = paths_[i];
            const std::string_view key = problem.key;
            std::string text = problem.explanation();
            if (key.empty() && text.starts_with(path + ": ")) {
                picture_.nodes[i].errors.push_back(text.substr(path.size() + 2));
                return;
            }
            const bool is_its_own = key == path;
            if (!is_its_own && !key.starts_with(path + ".") && !key.starts_with(path + "[")) {
                continue;
            }
            std::string subject(is_its_own ? "" : key.substr(path.size() + 1));
            if (!problem.value.empty()) {
                subject += (subject.empty() ? "" : " = ") + problem.value;
            }
            picture_.nodes[i].errors.push_back((subject.empty() ? "" : subject + ": ") + text);
            return;
        }
        picture_.errors.push_back(problem.text());
    }

    const experiment::Experiment& experiment_;
    Diagnostics ignored_;  // they were reported when the plan was made
    DraftContext context_;
    Picture picture_;
    std::vector<std::string> paths_;  // of the nodes' tables
};

}  // namespace

Picture picture_of(const experiment::Experiment& experiment, const plugin::Catalog& catalog,
                   const std::filesystem::path& home, const Diagnostics& problems) {
    return FailedDrawer(experiment, catalog, home).run(problems);
}

}  // namespace ptp::pipeline
