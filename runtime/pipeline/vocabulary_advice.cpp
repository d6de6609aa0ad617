// Suggests where a component gets its vocabulary from: a task that publishes words, or the
// component that has made indices of them.

#include "base/toml_writer.hpp"
#include "pipeline/evaluate.hpp"
#include "pipeline/suggestions.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::pipeline {

namespace {

std::string global_text(const std::string& declared, const std::string& name, const Node& node) {
    return fmt::format("write globals = {{ {} = \"{}\" }} in {}", toml_key(declared), name,
                       node.path);
}

std::size_t common_begin(std::string_view left, std::string_view right) {
    return static_cast<std::size_t>(std::ranges::mismatch(left, right).in1 - left.begin());
}

// Returns the names of the streams that the component reads, and of those behind them.
std::vector<std::string> streams_behind(const Assembly& assembly, const Draft& reader) {
    std::vector<std::string> names;
    auto drafts = sources_of(assembly, reader);
    drafts.insert(&reader);
    for (const Draft* draft : drafts) {
        for (const Binding& input : draft->node.inputs) {
            names.push_back(input.wire.stream);
        }
    }
    return names;
}

// Returns how much the name of a global resembles that of a stream: source_words is of the stream
// `sources`.
std::size_t resemblance(const std::string& global, const std::vector<std::string>& streams) {
    std::size_t most = 0;
    for (const std::string& stream : streams) {
        most = std::max(most, common_begin(global, stream));
    }
    return most;
}

// Returns how a task publishes its words: of several tables of a task the one with this name, or
// else that of the streams that are read.
std::string vocabulary_of_task(const Assembly& assembly, const Draft& reader,
                               const std::string& name) {
    const std::vector<std::string> streams = streams_behind(assembly, reader);
    for (const Draft& task : assembly.tasks) {
        const Settings settings = checked_settings(task.node);
        std::string found;
        std::size_t most = 0;
        for (const plugin::Global& global : task.node.component->globals) {
            const Condition& when = parse_condition(global.when);
            const std::string change =
                task.is_sound ? change_to_hold(when, settings, task.node.path) : "";
            const bool may_have = task.is_sound && (holds(when, settings) || !change.empty());
            const std::size_t likeness =
                global.name == name ? std::string::npos : resemblance(global.name, streams) + 1;
            if (global.purpose == plugin::Purpose::kVocabulary && global.is_written() && may_have &&
                !task.node.globals.contains(global.name) && likeness > most) {
                most = likeness;
                found = fmt::format("{}{}", change.empty() ? "" : change + " and ",
                                    global_text(global.name, name, task.node));
            }
        }
        if (!found.empty()) {
            return found;
        }
    }
    return "";
}

// Returns how the vocabulary of the indices that are read becomes that of the reader.
std::string vocabulary_of_indices(const Assembly& assembly, const Draft& reader,
                                  const std::string& declared, const std::string& name) {
    for (const Binding& input : reader.node.inputs) {
        if (input.stream < 0 || assembly.stream(input.stream).is_of_tasks ||
            assembly.stream(input.stream).element != plugin::Element::kInteger) {
            continue;
        }
        const WiredStream& stream = assembly.stream(input.stream);
        for (const Writer& by : stream.writers) {
            const Node& writer = assembly.writer(stream, by).node;
            for (const plugin::Global& global : writer.component->globals) {
                if (global.purpose != plugin::Purpose::kVocabulary || !global.is_written()) {
                    continue;
                }
                const auto named = writer.globals.find(global.name);
                return named == writer.globals.end()
                           ? global_text(global.name, name, writer)
                           : global_text(declared, named->second, reader.node);
            }
        }
    }
    return "";
}

}  // namespace

bool reads_words(const Node& node) {
    return std::ranges::any_of(node.component->ports, [](const plugin::Port& port) {
        return port.direction == plugin::Direction::kInput &&
               port.element == plugin::Element::kTokens;
    });
}

std::string vocabulary_to_have(const Assembly& assembly, const Draft& reader,
                               const std::string& declared, const std::string& name) {
    const bool has_tokens = std::ranges::any_of(reader.node.inputs, [&](const Binding& input) {
        return input.stream >= 0 && reader.port(input).element == plugin::Element::kTokens;
    });
    return has_tokens ? vocabulary_of_task(assembly, reader, name)
                      : vocabulary_of_indices(assembly, reader, declared, name);
}

}  // namespace ptp::pipeline
