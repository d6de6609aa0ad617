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
};

// Returns whether the stream is `indices`, the numbers of the samples, which the host writes.
inline bool is_of_host(const WiredStream& stream) {
    return !stream.writers.empty() && stream.writers.front().output < 0;
}

// All that is known of a pipeline while it is put together.
struct Assembly {
    const plugin::Catalog* catalog = nullptr;  // what messages may suggest
    std::vector<Draft> tasks;
    std::vector<Draft> components;  // in the order of the experiment
    std::vector<WiredStream> streams;
    // False if a component, or an output, is unknown: what seems to be missing may be there.
    bool is_complete = true;
    bool are_streams_known = true;

    [[nodiscard]] const WiredStream& stream(int index) const {
        return streams[static_cast<std::size_t>(index)];
    }
    [[nodiscard]] const Draft& writer(const WiredStream& stream, const Writer& by) const {
        const auto& drafts = stream.is_of_tasks ? tasks : components;
        return drafts[static_cast<std::size_t>(by.draft)];
    }
};

// Returns whether a section is processed; all are if none is named.
inline bool is_processed(const std::vector<std::string>& processed, const std::string& section) {
    return processed.empty() || std::ranges::find(processed, section) != processed.end();
}

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

// "integers", "lists of strings", ...: what a stream or port of this element carries.
std::string element_text(plugin::Element element);

}  // namespace ptp::pipeline
