// Follows the meanings of numbers along the streams of each section, and reports inputs that do not
// take them.

#include "pipeline/meaning.hpp"

#include "base/suggest.hpp"
#include "base/toml_writer.hpp"
#include "pipeline/declaration.hpp"
#include "pipeline/sizes.hpp"
#include "pipeline/stages.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <set>

namespace ptp::pipeline {

std::vector<std::string> meanings_of(const plugin::Port& port, const Settings& settings) {
    for (const MeaningClause& clause : parse_meaning(port.meaning)) {
        if (holds(clause.condition, settings)) {
            return clause.words;
        }
    }
    return {};
}

namespace {

using plugin::Component;
using plugin::Port;
using Words = std::vector<std::string>;

std::string meaning_text(const std::string& word) {
    const auto* const known = find_named(kMeanings, word);
    return std::string(known == nullptr ? word : known->text);
}

// "raw scores, probabilities or other values".
std::string meaning_text(const Words& words) {
    Words texts;
    for (const std::string& word : words) {
        texts.push_back(meaning_text(word));
    }
    return joined(texts, "or");
}

// The meaning of a stream, and the output that determines it.
struct Carried {
    std::string word;
    const Draft* draft = nullptr;
    const Port* port = nullptr;
    std::string before = {};  // the meaning of the first input of that output's component
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
    const Node& writer = clash.carried.draft->node;
    for (const plugin::Setting& setting : writer.component->settings) {
        if (setting.type != plugin::SettingType::kBoolean || setting.list_depth > 0) {
            continue;
        }
        auto values = writer.settings;
        auto& value =
            values[static_cast<std::size_t>(&setting - writer.component->settings.data())];
        for (const bool switched : {false, true}) {
            value.emplace(switched);
            const Settings settings{*writer.component, values};
            const Words words = meanings_of(*clash.carried.port, settings);
            if (words.size() == 1 && contains(clash.taken, words.front()) &&
                holds(parse_condition(clash.carried.port->when), settings)) {
                return fmt::format("set {}.{} = {}", writer.path, toml_key(setting.name), switched);
            }
        }
    }
    return "";
}

// Returns whether it has the same inputs, and all settings that the experiment sets.
bool can_replace(const Component& component, const Node& node) {
    const auto has_input = [&](const Port& port) {
        return port.direction == plugin::Direction::kOutput ||
               std::ranges::any_of(component.ports, [&](const Port& other) {
                   return other.name == port.name && other.element == port.element &&
                          other.shape == port.shape && other.when == port.when;
               });
    };
    for (std::size_t i = 0; i < node.settings.size(); ++i) {
        const bool is_set = node.settings[i] && node.settings[i]->place() != SourceLocation();
        if (is_set && find_named(component.settings, node.component->settings[i].name) == nullptr) {
            return false;
        }
    }
    return component.kind == node.component->kind &&
           std::ranges::all_of(node.component->ports, has_input);
}

// Returns the change to another component in the reader's place: "set loss.type = "NLLLoss"".
std::string fix_by_type(const Clash& clash, const plugin::Catalog& catalog) {
    const Node& node = clash.reader.node;
    for (const Component* other : components_of(catalog)) {
        if (!can_replace(*other, node) || catalog.find(other->name).size() != 1 ||
            !check_declaration(*other).empty()) {
            continue;
        }
        const auto port = std::ranges::find_if(other->ports, [&](const Port& one) {
            return one.name == clash.port.name && one.when == clash.port.when;
        });
        const std::vector<std::optional<Value>> absent(other->settings.size());
        if (port != other->ports.end() &&
            contains(meanings_of(*port, {*other, absent}), clash.carried.word)) {
            return fmt::format("set {}.type = \"{}\", which takes {}", node.path, other->name,
                               meaning_text(clash.carried.word));
        }
    }
    return "";
}

// Returns the removal of a layer whose input the reader takes.
std::string fix_by_leaving_out(const Clash& clash) {
    const Node& writer = clash.carried.draft->node;
    return !writer.owner.empty() && contains(clash.taken, clash.carried.before)
               ? fmt::format("leave out {}, \"{}\"", writer.path, writer.component->name)
               : "";
}

// Returns the change to another component of the writer's plugin with its settings and ports, which
// writes what the reader takes: LogSoftmax for Softmax.
std::string fix_by_other_writer(const Clash& clash) {
    const Node& writer = clash.carried.draft->node;
    const auto has_name_of = [](const auto& one, const auto& other) {
        return one.name == other.name;
    };
    for (const Component& other : writer.plugin->manifest.components) {
        const Port* const port = find_named(other.ports, clash.carried.port->name);
        if (other.kind != writer.component->kind || port == nullptr ||
            !std::ranges::equal(other.settings, writer.component->settings, has_name_of) ||
            !std::ranges::equal(other.ports, writer.component->ports, has_name_of)) {
            continue;
        }
        const Words words = meanings_of(*port, {other, writer.settings});
        if (words.size() == 1 && contains(clash.taken, words.front())) {
            return writer.owner.empty()
                       ? fmt::format("set {}.type = \"{}\"", writer.path, other.name)
                       : fmt::format("write \"{}\" in place of \"{}\" as {}", other.name,
                                     writer.component->name, writer.path);
        }
    }
    return "";
}

void report_clash(const Clash& clash, const plugin::Catalog& catalog, Diagnostics& problems) {
    std::string fix = fix_by_leaving_out(clash);
    if (fix.empty()) {
        fix = fix_by_switch(clash);
    }
    if (fix.empty()) {
        fix = fix_by_type(clash, catalog);
    }
    if (fix.empty()) {
        fix = fix_by_other_writer(clash);
    }
    if (fix.empty()) {
        fix = fmt::format("give '{}' a stream of {}", clash.port.name, meaning_text(clash.taken));
    }
    const std::string carried = meaning_text(clash.carried.word);
    const Node& reader = clash.reader.node;
    report(reader, reader.place,
           Explanation{
               fmt::format("stream '{}' carries {}, which {} does not take"
                           "\n    {} writes {} as '{}'\n    {} takes {} as '{}'",
                           clash.stream.name, carried, reader.component->name,
                           node_text(clash.carried.draft->node), carried, clash.carried.port->name,
                           node_text(reader), meaning_text(clash.taken), clash.port.name),
               fix},
           problems);
}

void report_left_out(const Clash& clash, Diagnostics& problems) {
    const Node& reader = clash.reader.node;
    pipeline::warn(
        reader,
        Explanation{fmt::format("stream '{}' carries {} when new samples are predicted, which {} "
                                "does not take: it is left out there",
                                clash.stream.name, meaning_text(clash.carried.word),
                                reader.component->name),
                    fmt::format("write phases = [\"training\", \"validation\", \"test\"] in [{}]",
                                reader.path)},
        problems);
}

// Along the streams ------------------------------------------------------------------------------

using Reported = std::set<const Binding*>;

// The meanings of a section's batches.
class Meanings {
public:
    Meanings(const Assembly& assembly, std::size_t task, Reported& reported, Diagnostics& problems)
        : assembly_(assembly),
          task_(task),
          reported_(reported),
          problems_(problems),
          streams_(assembly.streams.size()) {}

    // Returns the losses that are to be left out of a prediction.
    std::vector<int> run(const std::vector<int>& order) {
        std::vector<int> left_out;
        if (task_ < assembly_.tasks.size()) {
            write(assembly_.tasks[task_]);
        }
        for (const int number : order) {
            const Draft& draft = assembly_.components[static_cast<std::size_t>(number)];
            if (draft.is_sound && draft.node.runs_on(task_) && !read(draft)) {
                left_out.push_back(number);
            }
            if (draft.node.passes_on(task_)) {
                pass(draft.node);
            } else if (draft.node.runs_on(task_)) {
                write(draft);
            }
        }
        return left_out;
    }

private:
    std::optional<Carried>& at(const Binding& binding) {
        return streams_[static_cast<std::size_t>(binding.stream)];
    }

    // Returns whether the component runs: a loss that does not take what it reads is left out where
    // new samples are predicted, because a softmax of the phase "predict" is right there. Any other
    // clash is an error.
    bool read(const Draft& draft) {
        const Settings settings = checked_settings(draft.node);
        const bool may_be_left_out =
            assembly_.is_predicted && draft.node.component->kind == plugin::Kind::kLoss;
        bool runs = true;
        for (const Binding& input : draft.node.inputs) {
            if (input.stream < 0 || !at(input)) {
                continue;
            }
            const Words taken = meanings_of(draft.port(input), settings);
            if (taken.empty() || contains(taken, at(input)->word) ||
                !reported_.insert(&input).second) {
                continue;
            }
            const Clash clash{*at(input), assembly_.stream(input.stream), draft, draft.port(input),
                              taken};
            if (may_be_left_out) {
                runs = false;
                report_left_out(clash, problems_);
            } else {
                report_clash(clash, *assembly_.catalog, problems_);
            }
        }
        return runs;
    }

    void pass(const Node& node) {
        for (const auto& [in, out] : node.passed_ports()) {
            at(node.outputs[out]) = at(node.inputs[in]);
        }
    }

    // Components that are tried in turn write one stream: it is known where they agree.
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
        const Words words = meanings_of(port, checked_settings(draft.node));
        if (words.size() != 1) {
            return std::nullopt;
        }
        if (find_named(kMeanings, words.front()) != nullptr) {
            const auto& inputs = draft.node.inputs;
            const bool is_fed = !inputs.empty() && inputs[0].stream >= 0 && at(inputs[0]);
            return Carried{words.front(), &draft, &port, is_fed ? at(inputs[0])->word : ""};
        }
        return passed_through(draft, words.front());
    }

    // Returns the meaning that all streams of the ports of this name share, or what flows out of
    // the layers in the setting of this name.
    std::optional<Carried> passed_through(const Draft& draft, const std::string& name) {
        std::vector<std::optional<Carried>> all;
        for (const Binding& binding : draft.node.inputs) {
            if (binding.stream >= 0 && draft.port(binding).name == name) {
                all.push_back(at(binding));
            }
        }
        if (draft.inner != nullptr) {
            add_layers(draft, name, all);
        }
        const bool is_common = std::ranges::all_of(
            all, [&](const auto& one) { return one && one->word == all.front()->word; });
        return is_common && !all.empty() ? all.front() : std::nullopt;
    }

    void add_layers(const Draft& draft, const std::string& name,
                    std::vector<std::optional<Carried>>& all) {
        Meanings inner(*draft.inner, task_, reported_, problems_);
        for (std::size_t i = 0; i < draft.node.inputs.size(); ++i) {
            const Binding& input = draft.node.inputs[i];
            inner.streams_[i] = input.stream < 0 ? std::nullopt : at(input);
        }
        for (const Draft& layer : draft.inner->components) {
            inner.read(layer);
            inner.write(layer);
        }
        for (const LayerList& list : draft.node.lists) {
            if (list.result >= 0 && draft.node.component->settings[list.setting].name == name) {
                all.push_back(inner.streams_[static_cast<std::size_t>(list.result)]);
            }
        }
    }

    const Assembly& assembly_;
    std::size_t task_;
    Reported& reported_;  // inputs whose clash is reported, of all sections
    Diagnostics& problems_;
    std::vector<std::optional<Carried>> streams_;
    std::map<int, std::string> written_;  // the word of the first writer of a stream
};

}  // namespace

void check_meanings(Assembly& assembly, const std::vector<int>& order, Diagnostics& problems) {
    Reported reported;
    for (std::size_t task = 0; task < std::max<std::size_t>(assembly.tasks.size(), 1); ++task) {
        for (const int loss : Meanings(assembly, task, reported, problems).run(order)) {
            assembly.components[static_cast<std::size_t>(loss)].node.runs_for[task] = false;
        }
    }
}

}  // namespace ptp::pipeline
