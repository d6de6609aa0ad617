// Reports inputs that do not take what their stream carries, with the change that helps.

#include "pipeline/clash.hpp"

#include "base/suggest.hpp"
#include "base/toml_writer.hpp"
#include "pipeline/declaration.hpp"
#include "pipeline/evaluate.hpp"
#include "pipeline/meaning.hpp"
#include "pipeline/sizes.hpp"
#include "pipeline/suggestions.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <optional>

namespace ptp::pipeline {

namespace {

using plugin::Component;
using plugin::Port;
using Words = std::vector<std::string>;

std::string meaning_text(const std::string& word) {
    const auto* const known = find_named(kMeanings, word);
    return std::string(known == nullptr ? word : known->text);
}

// "raw scores, probabilities or numbers of any range".
std::string meaning_text(const Words& words) {
    Words texts;
    for (const std::string& word : words) {
        texts.push_back(meaning_text(word));
    }
    return joined(texts, "or");
}

// A transform of pictures takes what is no share of a class.
std::string taken_text(const Clash& clash) {
    const bool is_transform = clash.reader.node.component->kind == plugin::Kind::kTransform;
    return is_transform && clash.taken == Words{"probabilities"} ? "numbers from 0 to 1"
                                                                 : meaning_text(clash.taken);
}

// Fixes ------------------------------------------------------------------------------------------

}  // namespace

std::string switch_to_write(const Node& writer, const Port& port, const Words& taken) {
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
            const Words words = meanings_of(port, settings);
            if (words.size() == 1 && takes_meaning(taken, words.front()) &&
                holds(parse_condition(port.when), settings)) {
                return fmt::format("set {}.{} = {}", writer.path, toml_key(setting.name), switched);
            }
        }
    }
    return "";
}

bool has_clash_with_switch(const Assembly& assembly, const Node& writer) {
    const auto clashes = [&](const Draft& reader, const Binding& input) {
        const auto written = std::ranges::find(writer.outputs, input.stream, &Binding::stream);
        if (input.stream < 0 || written == writer.outputs.end()) {
            return false;
        }
        const Port& port = writer.port(*written);
        const Words taken = meanings_of(reader.port(input), checked_settings(reader.node));
        const Words words = meanings_of(port, checked_settings(writer));
        return !taken.empty() && words.size() == 1 && !takes_meaning(taken, words.front()) &&
               !switch_to_write(writer, port, taken).empty();
    };
    return std::ranges::any_of(assembly.components, [&](const Draft& reader) {
        return std::ranges::any_of(reader.node.inputs,
                                   [&](const Binding& input) { return clashes(reader, input); });
    });
}

namespace {

// Returns the change of a setting with which the reader takes what the stream carries: "set
// quality.use_probabilities = false".
std::string fix_by_reader(const Clash& clash) {
    return change_to_have(clash.reader.node, plugin::Direction::kInput, clash.port.name,
                          [&](const Port& port, const Settings& settings) {
                              return port.element == clash.port.element &&
                                     takes_meaning(meanings_of(port, settings), clash.carried.word);
                          });
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
            takes_meaning(meanings_of(*port, {*other, absent}), clash.carried.word)) {
            return fmt::format("set {}.type = \"{}\", which takes {}", node.path, other->name,
                               meaning_text(clash.carried.word));
        }
    }
    return "";
}

// Returns the change with which the reader reads what a transform of one input reads, or "".
std::string fix_by_reading_before(const Clash& clash, const Assembly& assembly) {
    const Node& writer = clash.carried.draft->node;
    const std::vector<Binding>& inputs = writer.inputs;
    // A layer has no `streams`.
    const bool can_read_input = clash.reader.node.owner.empty() && writer.owner.empty() &&
                                writer.component->kind == plugin::Kind::kTransform &&
                                inputs.size() == 1 && inputs.front().stream >= 0;
    return can_read_input
               ? fmt::format("write streams.{} = \"{}\" in {}", clash.port.name,
                             assembly.stream(inputs.front().stream).name, clash.reader.node.path)
               : "";
}

// Returns the removal of a layer, or of a transform before the reader, whose input it takes.
std::string fix_by_leaving_out(const Clash& clash, const Assembly& assembly) {
    const Node& writer = clash.carried.draft->node;
    if (!takes_meaning(clash.taken, clash.carried.before)) {
        return "";
    }
    return writer.owner.empty()
               ? fix_by_reading_before(clash, assembly)
               : fmt::format("leave out {}, \"{}\"", writer.path, writer.component->name);
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

char lower_case(char letter) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
}

// Returns the setting of a task that makes its numbers what they are, such as `normalize`; nullptr
// where there is none.
const plugin::Setting* preparation_of(const Carried& carried) {
    const Node& writer = carried.draft->node;
    for (std::size_t i = 0; i < writer.settings.size(); ++i) {
        const plugin::Setting& setting = writer.component->settings[i];
        auto values = writer.settings;
        values[i].reset();
        if (setting.is_preparation && writer.settings[i] &&
            meanings_of(*carried.port, {*writer.component, values}).empty()) {
            return &setting;
        }
    }
    return nullptr;
}

// Returns how the writer's work is done behind the reader, which takes what is there without it: a
// task has a setting for it, such as `normalize`, and there may be a transform of that name.
std::string fix_by_order(const Clash& clash, const Assembly& assembly,
                         const plugin::Catalog& catalog) {
    const Node& writer = clash.carried.draft->node;
    const Node& reader = clash.reader.node;
    if (const plugin::Setting* const setting = preparation_of(clash.carried)) {
        const auto components = components_of(catalog);
        const auto other = std::ranges::find_if(components, [&](const Component* component) {
            return component->kind == plugin::Kind::kTransform &&
                   std::ranges::equal(component->name, setting->name, {}, lower_case, lower_case);
        });
        return fmt::format("leave {} out of {}{}", toml_key(setting->name), writer.path,
                           other == components.end()
                               ? ""
                               : fmt::format(", and add a {} that reads what {} writes",
                                             (*other)->name, reader.path));
    }
    const bool is_between = reader.component->kind == plugin::Kind::kTransform &&
                            writer.component->kind == plugin::Kind::kTransform &&
                            writer.owner.empty() && writer.inputs.size() == 1 &&
                            writer.inputs.front().stream >= 0;
    return is_between ? fmt::format("put {} before {}: let it read '{}', and {} what it writes",
                                    reader.path, writer.path,
                                    assembly.stream(writer.inputs.front().stream).name, writer.path)
                      : "";
}

// Returns the change with which the reader gets the numbers before the writer has limited them.
std::string fix_without_limit(const Clash& clash, const Assembly& assembly) {
    const Node& writer = clash.carried.draft->node;
    if (!writer.owner.empty()) {
        return fmt::format("leave out {}, \"{}\"", writer.path, writer.component->name);
    }
    const std::string fix = fix_by_reading_before(clash, assembly);
    return fix.empty() ? fmt::format("let {} write raw scores", node_text(writer)) : fix;
}

// Returns whether a transform makes probabilities of scores, or their logarithms. One that takes
// any numbers but probabilities, and writes others, may be right behind a ReLU.
bool makes_probabilities(const Draft& reader) {
    const Node& node = reader.node;
    return node.component->kind == plugin::Kind::kTransform &&
           std::ranges::any_of(node.component->ports, [&](const Port& port) {
               const Words words = port.direction == plugin::Direction::kOutput
                                       ? meanings_of(port, checked_settings(node))
                                       : Words();
               return contains(words, "log_probabilities") || contains(words, "probabilities");
           });
}

}  // namespace

bool takes_meaning(const std::vector<std::string>& taken, const std::string& word) {
    return contains(taken, word) || ((word == kFromZero || word == kWithinOne) &&
                                     (contains(taken, "values") || contains(taken, "scores")));
}

bool limits_scores(const Draft& reader, const std::vector<std::string>& taken,
                   const std::string& word) {
    const bool is_loss = reader.node.component->kind == plugin::Kind::kLoss;
    const bool is_limit =
        word == kFromZero || word == kWithinOne || (!is_loss && word == "probabilities");
    return is_limit && contains(taken, "scores") && !contains(taken, "probabilities") &&
           (is_loss || makes_probabilities(reader));
}

void report_clash(const Clash& clash, const Assembly& assembly, const plugin::Catalog& catalog,
                  Diagnostics& problems) {
    std::string fix = fix_by_leaving_out(clash, assembly);
    if (fix.empty()) {
        fix = switch_to_write(clash.carried.draft->node, *clash.carried.port, clash.taken);
    }
    if (fix.empty()) {
        fix = fix_by_reader(clash);
    }
    if (fix.empty()) {
        fix = fix_by_type(clash, catalog);
    }
    if (fix.empty()) {
        fix = fix_by_other_writer(clash);
    }
    if (fix.empty()) {
        fix = fix_by_order(clash, assembly, catalog);
    }
    if (fix.empty()) {
        fix = fmt::format("give '{}' a stream of {}", clash.port.name, taken_text(clash));
    }
    const std::string carried = meaning_text(clash.carried.word);
    const Node& reader = clash.reader.node;
    report(reader, reader.place,
           Explanation{
               fmt::format("stream '{}' carries {}, which {} does not take"
                           "\n    {} writes {} as '{}'\n    {} takes {} as '{}'",
                           clash.stream.name, carried, reader.component->name,
                           node_text(clash.carried.draft->node), carried, clash.carried.port->name,
                           node_text(reader), taken_text(clash), clash.port.name),
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

namespace {

// Returns what limited scores cannot say: a softmax of scores from 0 to 1 is at most e / (e + 9) of
// 10 classes, of those from -1 to 1 e^2 / (e^2 + 9), and a sigmoid of these at most e / (e + 1).
const char* consequence_of(const Clash& clash) {
    if (clash.carried.word == kFromZero) {
        return "what is below 0 becomes 0, and learns nothing there";
    }
    if (clash.carried.word != kWithinOne) {
        return "with scores so close to each other no class is likely, of 10 classes none by more "
               "than 0.24";
    }
    return contains(clash.taken, "log_probabilities")
               ? "with scores so close to each other no class is likely, of 10 classes none by more "
                 "than 0.46"
               : "no probability is above 0.74, or below 0.26";
}

}  // namespace

void warn_of_limit(const Clash& clash, const Assembly& assembly, Diagnostics& problems) {
    const Node& reader = clash.reader.node;
    pipeline::warn(reader,
                   Explanation{fmt::format("takes raw scores, of both signs, and {} writes {}: {}",
                                           node_text(clash.carried.draft->node),
                                           meaning_text(clash.carried.word), consequence_of(clash)),
                               fix_without_limit(clash, assembly)},
                   problems);
}

bool scales_again(const Draft& reader, const Carried& carried) {
    const Node& node = reader.node;
    return node.component->kind == plugin::Kind::kTransform && preparation_of(carried) != nullptr &&
           std::ranges::any_of(node.component->ports, [&](const Port& port) {
               return port.direction == plugin::Direction::kOutput && port.meaning == carried.word;
           });
}

void warn_of_second_scale(const Clash& clash, Diagnostics& problems) {
    const Node& reader = clash.reader.node;
    const std::string name = toml_key(preparation_of(clash.carried)->name);
    pipeline::warn(
        reader,
        Explanation{fmt::format("changes the scale of '{}', which {} has done already, by `{}`",
                                clash.stream.name, node_text(clash.carried.draft->node), name),
                    fmt::format("leave {} out of the task of each section, or leave out {}", name,
                                reader.path)},
        problems);
}

}  // namespace ptp::pipeline
