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

// The reader of a vocabulary, and how it is to name it.
struct Reader {
    const Draft& draft;
    const std::string& declared;
    const std::string& name;
};

std::string published_text(const Reader& reader, const std::string& published) {
    return global_text(reader.declared, published, reader.draft.node);
}

// Returns the rest of a fix for a reader that does not name its vocabulary yet.
std::string reading_text(const Reader& reader) {
    const auto& read = reader.draft.node.globals;
    const auto named = read.find(reader.declared);
    const bool is_named = named != read.end() && named->second == reader.name;
    return is_named ? ""
                    : fmt::format(", and globals = {{ {} = \"{}\" }} in {}",
                                  toml_key(reader.declared), reader.name, reader.draft.node.path);
}

// The vocabulary of the training's task.
struct TaskWords {
    std::string name;      // "": it has none
    std::string fix = {};  // how the task publishes it; "": it does
};

// Returns the words of the training's task, whose texts are those that the weights are made for, as
// a vocabulary for the reader: of several tables of a task the one with its name, or else that of
// the streams that are read.
TaskWords words_of_task(const Assembly& assembly, const Reader& reader) {
    if (assembly.tasks.empty() || !assembly.tasks.front().is_sound) {
        return {};
    }
    const Node& task = assembly.tasks.front().node;
    const std::vector<std::string> streams = streams_behind(assembly, reader.draft);
    TaskWords found;
    std::size_t most = 0;
    for (const plugin::Global& global : task.component->globals) {
        const Condition& when = parse_condition(global.when);
        const std::string change = change_to_hold(when, checked_settings(task), task.path);
        const bool may_have = holds(when, checked_settings(task)) || !change.empty();
        const std::size_t likeness =
            global.name == reader.name ? std::string::npos : resemblance(global.name, streams) + 1;
        if (global.purpose == plugin::Purpose::kVocabulary && global.is_written() && may_have &&
            likeness > most) {
            most = likeness;
            const auto named = task.globals.find(global.name);
            found = named != task.globals.end()
                        ? TaskWords{named->second}
                        : TaskWords{reader.name, (change.empty() ? "" : change + " and ") +
                                                     global_text(global.name, reader.name, task)};
        }
    }
    return found;
}

// Returns how they become the vocabulary of the reader.
std::string vocabulary_of_task(const Assembly& assembly, const Reader& reader) {
    const TaskWords words = words_of_task(assembly, reader);
    return words.name.empty()  ? ""
           : words.fix.empty() ? published_text(reader, words.name)
                               : words.fix + reading_text(reader);
}

// Returns how a component comes to publish a vocabulary that it makes of the training's words, as
// one that changes words does: its globals, and before them the task's; "" if the task has none.
std::string remade_vocabulary(const Assembly& assembly, const Draft& writer, const Reader& reader,
                              const plugin::Global& made) {
    for (const plugin::Global& global : writer.node.component->globals) {
        if (global.purpose != plugin::Purpose::kVocabulary || global.is_written() ||
            global.when != made.when) {
            continue;
        }
        const std::string name = reader.name == "text_words" ? "task_words" : "text_words";
        const TaskWords words = words_of_task(assembly, {writer, global.name, name});
        const std::string change = change_to_hold(parse_condition(made.when),
                                                  checked_settings(writer.node), writer.node.path);
        return words.name.empty()
                   ? ""
                   : fmt::format(
                         "{}{}{} and write globals = {{ {} = \"{}\", {} = \"{}\" }} in {}{}",
                         words.fix, words.fix.empty() ? "" : ", ", change, toml_key(global.name),
                         words.name, toml_key(made.name), reader.name, writer.node.path,
                         reading_text(reader));
    }
    return change_to_hold(parse_condition(made.when), checked_settings(writer.node),
                          writer.node.path) +
           " and " + global_text(made.name, reader.name, writer.node) + reading_text(reader);
}

// Returns how the vocabulary of a component that makes what is read becomes that of the reader; ""
// where it has none.
std::string vocabulary_of(const Assembly& assembly, const Draft& draft, const Reader& reader) {
    const Node& writer = draft.node;
    const Settings settings = checked_settings(writer);
    const bool is_set_up = std::ranges::any_of(writer.settings, [](const auto& value) {
        return value && value->place() != SourceLocation();
    });
    for (const plugin::Global& global : writer.component->globals) {
        const auto named = writer.globals.find(global.name);
        if (global.purpose != plugin::Purpose::kVocabulary || !global.is_written()) {
            continue;
        }
        if (named != writer.globals.end()) {
            return published_text(reader, named->second);
        }
        const Condition& when = parse_condition(global.when);
        if (holds(when, settings)) {
            return global_text(global.name, reader.name, writer) + reading_text(reader);
        }
        // One without settings of its own leaves words as they are.
        const std::string change = change_to_hold(when, settings, writer.path);
        return change.empty() || !is_set_up ? ""
                                            : remade_vocabulary(assembly, draft, reader, global);
    }
    return "";
}

// Returns the same of a component that writes an input of the reader with these elements.
std::string vocabulary_of_writer(const Assembly& assembly, const Reader& reader,
                                 plugin::Element element) {
    for (const Binding& input : reader.draft.node.inputs) {
        if (input.stream < 0 || assembly.stream(input.stream).is_of_tasks ||
            assembly.stream(input.stream).element != element) {
            continue;
        }
        const WiredStream& stream = assembly.stream(input.stream);
        for (const Writer& by : stream.writers) {
            const Draft& writer = assembly.writer(stream, by);
            if (std::string found = vocabulary_of(assembly, writer, reader); !found.empty()) {
                return found;
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
    const Reader by{reader, declared, name};
    const bool has_tokens = std::ranges::any_of(reader.node.inputs, [&](const Binding& input) {
        return input.stream >= 0 && reader.port(input).element == plugin::Element::kTokens;
    });
    if (!has_tokens) {
        return vocabulary_of_writer(assembly, by, plugin::Element::kInteger);
    }
    const std::string of_words = vocabulary_of_writer(assembly, by, plugin::Element::kTokens);
    return of_words.empty() ? vocabulary_of_task(assembly, by) : of_words;
}

}  // namespace ptp::pipeline
