// Follows the meanings of numbers along the streams, and reports inputs that do not take them.
#include "pipeline/meaning.hpp"

#include "base/expression_reader.hpp"
#include "base/text.hpp"
#include "base/toml_writer.hpp"
#include "pipeline/declaration.hpp"
#include "pipeline/evaluate.hpp"
#include "pipeline/sizes.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

namespace ptp::pipeline {

namespace {

using plugin::Component;
using plugin::Direction;
using plugin::Port;
using Words = std::vector<std::string>;

constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kWords = {
    {{"scores", "raw scores"},
     {"log_probabilities", "log-probabilities"},
     {"probabilities", "probabilities"},
     {"values", "other values"}}};

std::string_view meaning_text(std::string_view word) {
    const auto* const found =
        std::ranges::find(kWords, word, &std::pair<std::string_view, std::string_view>::first);
    return found == kWords.end() ? word : found->second;
}

// "raw scores, probabilities or other values".
std::string meaning_text(const Words& words) {
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i) {
        text += i == 0 ? "" : i + 1 == words.size() ? " or " : ", ";
        text += meaning_text(words[i]);
    }
    return text;
}

Words split(std::string_view text, char separator) {
    Words parts;
    for (;;) {
        const auto end = text.find(separator);
        parts.emplace_back(trimmed(text.substr(0, end)));
        if (end == std::string_view::npos) {
            return parts;
        }
        text.remove_prefix(end + 1);
    }
}

// Returns the declared meanings of a port; none if nothing is declared for these settings.
Words words_of(const Port& port, const Settings& settings) {
    if (port.meaning.empty()) {
        return {};
    }
    for (const MeaningClause& clause : parse_meaning(port.meaning)) {
        if (holds(clause.condition, settings)) {
            return clause.words;
        }
    }
    return {};
}

bool takes(const Words& words, std::string_view word) {
    return std::ranges::find(words, word) != words.end();
}

// The meaning of a stream, and the output that determines it.
struct Carried {
    std::string word;
    const Draft* draft = nullptr;
    const Port* port = nullptr;
};

struct Clash {
    const Carried& carried;
    const WiredStream& stream;
    const Draft& reader;
    const Port& port;
    const Words& taken;
};

// Fixes ------------------------------------------------------------------------------------------

// Returns the change of a bool setting with which the writer writes what the reader takes: "set
// net.use_logsoftmax = false".
std::string fix_by_switch(const Clash& clash) {
    const Draft& writer = *clash.carried.draft;
    const Component& component = *writer.node.component;
    for (std::size_t i = 0; i < component.settings.size(); ++i) {
        const plugin::Setting& setting = component.settings[i];
        if (setting.type != plugin::SettingType::kBoolean || setting.list_depth > 0) {
            continue;
        }
        auto values = writer.node.settings;
        for (const bool switched : {false, true}) {
            values[i].emplace(switched);
            const Settings settings{component, values};
            const Words words = words_of(*clash.carried.port, settings);
            if (words.size() == 1 && takes(clash.taken, words.front()) &&
                holds(parse_condition(clash.carried.port->when), settings)) {
                return fmt::format("set {}.{} = {}", writer.node.path, toml_key(setting.name),
                                   switched);
            }
        }
    }
    return "";
}

// Returns whether it has the same inputs, and all settings that the experiment sets.
bool can_replace(const Component& component, const Node& node) {
    const auto is_same_input = [&](const Port& port) {
        return port.direction == Direction::kOutput ||
               std::ranges::any_of(component.ports, [&](const Port& other) {
                   return other.name == port.name && other.element == port.element &&
                          other.shape == port.shape && other.when == port.when;
               });
    };
    const auto is_set = [&](std::size_t i) {
        return node.settings[i] && node.settings[i]->place() != SourceLocation();
    };
    const auto& settings = node.component->settings;
    for (std::size_t i = 0; i < settings.size(); ++i) {
        const auto found =
            std::ranges::find(component.settings, settings[i].name, &plugin::Setting::name);
        if (is_set(i) && found == component.settings.end()) {
            return false;
        }
    }
    return component.kind == node.component->kind &&
           std::ranges::all_of(node.component->ports, is_same_input);
}

// Returns the change to another component in the reader's place: "set loss.type = "NLLLoss"".
std::string fix_by_type(const Clash& clash, const plugin::Catalog& catalog) {
    const Node& node = clash.reader.node;
    for (const plugin::CatalogEntry& entry : catalog.plugins) {
        for (const Component& component : entry.manifest.components) {
            if (!can_replace(component, node) || catalog.find(component.name).size() != 1 ||
                !check_declaration(component).empty()) {
                continue;
            }
            const auto port = std::ranges::find_if(component.ports, [&](const Port& other) {
                return other.name == clash.port.name && other.when == clash.port.when;
            });
            const std::vector<std::optional<Value>> absent(component.settings.size());
            if (port != component.ports.end() &&
                takes(words_of(*port, {component, absent}), clash.carried.word)) {
                return fmt::format("set {}.type = \"{}\", which takes {}", node.path,
                                   component.name, meaning_text(clash.carried.word));
            }
        }
    }
    return "";
}

std::string fix_of(const Clash& clash, const plugin::Catalog& catalog) {
    std::string fix = fix_by_switch(clash);
    if (fix.empty()) {
        fix = fix_by_type(clash, catalog);
    }
    return fix.empty()
               ? fmt::format("give '{}' a stream of {}", clash.port.name, meaning_text(clash.taken))
               : fix;
}

void report_clash(const Clash& clash, const plugin::Catalog& catalog, Diagnostics& problems) {
    const std::string reason = fmt::format(
        "stream '{}' carries {}, which {} does not take\n    {} writes {} as '{}'\n    {} takes {} "
        "as '{}'",
        clash.stream.name, meaning_text(clash.carried.word), clash.reader.node.component->name,
        node_text(clash.carried.draft->node), meaning_text(clash.carried.word),
        clash.carried.port->name, node_text(clash.reader.node), meaning_text(clash.taken),
        clash.port.name);
    report(clash.reader.node, clash.reader.node.place, Explanation{reason, fix_of(clash, catalog)},
           problems);
}

// Along the streams ------------------------------------------------------------------------------

class Meanings {
public:
    Meanings(const Assembly& assembly, const plugin::Catalog& catalog, Diagnostics& problems)
        : assembly_(assembly),
          catalog_(catalog),
          problems_(problems),
          streams_(assembly.streams.size()) {}

    void run(const std::vector<int>& order) {
        for (const Draft& task : assembly_.tasks) {
            write(task);
        }
        for (const int number : order) {
            const Draft& draft = assembly_.components[static_cast<std::size_t>(number)];
            if (draft.is_sound) {
                read(draft);
            }
            write(draft);
        }
    }

private:
    std::optional<Carried>& at(const Binding& binding) {
        return streams_[static_cast<std::size_t>(binding.stream)];
    }

    void read(const Draft& draft) {
        const Settings settings = checked_settings(draft.node);
        for (const Binding& input : draft.node.inputs) {
            if (input.stream < 0 || !at(input)) {
                continue;
            }
            const Words taken = words_of(draft.port(input), settings);
            if (!taken.empty() && !takes(taken, at(input)->word)) {
                report_clash(
                    {*at(input), assembly_.stream(input.stream), draft, draft.port(input), taken},
                    catalog_, problems_);
            }
        }
    }

    // The tasks of several sections write one stream: it is known where they agree.
    void write(const Draft& draft) {
        for (const Binding& output : draft.node.outputs) {
            if (output.stream < 0) {
                continue;
            }
            auto carried = draft.is_sound ? meaning_of(draft, draft.port(output)) : std::nullopt;
            const auto [earlier, is_first] =
                written_.try_emplace(output.stream, carried ? carried->word : "");
            if (!is_first && earlier->second != (carried ? carried->word : "")) {
                earlier->second.clear();
                carried.reset();
            }
            at(output) = carried;
        }
    }

    std::optional<Carried> meaning_of(const Draft& draft, const Port& port) {
        const Words words = words_of(port, checked_settings(draft.node));
        if (words.size() != 1) {
            return std::nullopt;
        }
        if (is_meaning(words.front())) {
            return Carried{words.front(), &draft, &port};
        }
        return passed_through(draft, words.front());
    }

    // Returns the meaning that all streams of the ports of this name share.
    std::optional<Carried> passed_through(const Draft& draft, const std::string& input) {
        std::optional<Carried> common;
        for (const Binding& binding : draft.node.inputs) {
            if (binding.stream < 0 || draft.port(binding).name != input) {
                continue;
            }
            if (!at(binding) || (common && common->word != at(binding)->word)) {
                return std::nullopt;
            }
            common = at(binding);
        }
        return common;
    }

    const Assembly& assembly_;
    const plugin::Catalog& catalog_;
    Diagnostics& problems_;
    std::vector<std::optional<Carried>> streams_;
    std::map<int, std::string> written_;  // the word of the first writer of a stream
};

}  // namespace

bool is_meaning(std::string_view word) {
    return std::ranges::any_of(kWords, [&](const auto& known) { return known.first == word; });
}

std::vector<MeaningClause> parse_meaning(std::string_view text) {
    std::vector<MeaningClause> clauses;
    for (const std::string& part : split(text, ';')) {
        constexpr std::string_view kIf = " if ";
        const auto place = part.find(kIf);
        const std::string_view words = std::string_view(part).substr(0, place);
        MeaningClause clause{.words = split(words, '|'), .condition = {}};
        for (const std::string& word : clause.words) {
            if (!is_snake_case(word)) {
                throw ExpressionError(fmt::format("expected a meaning, not '{}'", word));
            }
        }
        if (place != std::string::npos) {
            clause.condition = parse_condition(std::string_view(part).substr(place + kIf.size()));
        }
        clauses.push_back(std::move(clause));
    }
    return clauses;
}

void check_meanings(const Assembly& assembly, const std::vector<int>& order,
                    const plugin::Catalog& catalog, Diagnostics& problems) {
    Meanings(assembly, catalog, problems).run(order);
}

}  // namespace ptp::pipeline
