// Connects ports by the names of their streams. The result is an Assembly: all drafts and all
// streams of a pipeline.

#pragma once

#include "base/diagnostics.hpp"
#include "pipeline/draft.hpp"
#include "pipeline/evaluate.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace ptp::pipeline {

// The source of a stream. A stream of the tasks has one writer for each section that has it.
struct Writer {
    int draft = -1;   // index into Assembly::tasks or Assembly::components
    int output = -1;  // index into the node's outputs; -1: the host's own `indices`
};

struct WiredStream {
    std::string name;
    plugin::Element element = plugin::Element::kFloating;
    bool is_of_tasks = false;
    std::vector<Writer> writers = {};
    bool has_shape = false;  // false: no end of it has a known shape
    std::vector<Dimension> shape = {};
};

// Returns whether the stream is `indices`, the numbers of the samples, which the host writes.
inline bool is_of_host(const WiredStream& stream) {
    return !stream.writers.empty() && stream.writers.front().output < 0;
}

// All that is known of a pipeline while it is put together.
struct Assembly {
    const experiment::Experiment* experiment = nullptr;
    const plugin::Catalog* catalog = nullptr;  // what messages may suggest
    std::vector<std::string> processed = {};   // sections; none: the pipeline is to train
    bool is_predicted = false;                 // they are processed to predict
    std::vector<Draft> tasks = {};
    std::vector<Draft> components = {};  // in the order of the experiment
    std::vector<WiredStream> streams = {};
    // False if a component, or an output, is unknown: what seems to be missing may be there.
    bool is_complete = true;
    bool are_streams_known = true;

    // Returns whether a section runs; all do in a pipeline to train.
    [[nodiscard]] bool runs(const std::string& section) const {
        return processed.empty() || contains(processed, section);
    }
    // Returns the task of a section; nullptr if there is none.
    [[nodiscard]] const Draft* task_of(const std::string& section) const {
        const auto found = std::ranges::find_if(
            tasks, [&](const Draft& task) { return task.node.section == section; });
        return found == tasks.end() ? nullptr : &*found;
    }
    [[nodiscard]] bool is_read(int stream) const {
        return std::ranges::any_of(components,
                                   [&](const Draft& reader) { return reader.node.reads(stream); });
    }
    [[nodiscard]] const WiredStream& stream(int index) const {
        return streams[static_cast<std::size_t>(index)];
    }
    [[nodiscard]] const Draft& writer(const WiredStream& stream, const Writer& by) const {
        const auto& drafts = stream.is_of_tasks ? tasks : components;
        return drafts[static_cast<std::size_t>(by.draft)];
    }
};

// Sets the stream of each binding. Reports two writers of one stream, streams without a writer,
// and ports that take something else than the stream carries.
void wire(Assembly& assembly, Diagnostics& problems);

// Returns the components whose outputs reach this one, directly or through others. Each component
// is visited once. The streams must have been wired.
std::set<const Draft*> sources_of(const Assembly& assembly, const Draft& draft);

// An error about a whole component. Several at one place are all kept.
void report(const Node& node, const SourceLocation& place, const std::string& message,
            Diagnostics& problems);
void report(const Node& node, const SourceLocation& place, const Explanation& message,
            Diagnostics& problems);
// A warning about a whole component.
void warn(const Node& node, const Explanation& message, Diagnostics& problems);

// Returns how an experiment makes a port use another stream: "write streams = { ... }".
std::string stream_renaming_text(const Node& node, const Binding& binding,
                                 const std::string& stream);

// In other_element.cpp: returns the form of an input that takes such elements, which the component
// has by other settings; nullptr if there is none.
const plugin::Port* form_of(const plugin::Component& component, const plugin::Port& input,
                            plugin::Element element);

// "integers", "lists of strings", ...: what a stream or port of this element carries.
std::string element_text(plugin::Element element);

}  // namespace ptp::pipeline
