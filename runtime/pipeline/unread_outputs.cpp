// Warns of outputs that no component reads although the experiment asks for them: those of a task
// that exist only because of a setting, targets that a transform makes in place of others, and
// words that a search chooses where the largest scores are read.

#include "pipeline/stages.hpp"

#include "base/toml_writer.hpp"
#include "pipeline/evaluate.hpp"
#include "pipeline/sizes.hpp"
#include "pipeline/suggestions.hpp"
#include "pipeline/task_data.hpp"
#include "plugin/setting_key.hpp"
#include "schema/key_path.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <vector>

namespace ptp::pipeline {

namespace {

using plugin::Kind;
using plugin::Purpose;

class UnreadOutputs {
public:
    UnreadOutputs(const Plan& plan, const plugin::Catalog& catalog,
                  const std::vector<std::string>& read_elsewhere, Diagnostics& problems)
        : plan_(plan), catalog_(catalog), elsewhere_(read_elsewhere), problems_(problems) {}

    void warn_of_settings() {
        std::set<std::string> warned;  // settings of types
        for (const Node& task : plan_.tasks) {
            for (std::size_t i = 0; i < task.settings.size(); ++i) {
                const std::string& name = task.component->settings[i].name;
                const Binding* const output = unread_of(task, i);
                if (output != nullptr && warned.insert(task.component->name + name).second) {
                    problems_.warning(
                        task.settings[i]->place(), schema::below(task.path, toml_key(name)),
                        Explanation{fmt::format("nothing reads '{}', so that it has no effect",
                                                stream_of(*output)),
                                    fix_of_setting(task, name, *output)});
                }
            }
        }
    }

    void warn_of_targets() {
        for (const Node& node : plan_.nodes) {
            const Binding* const before = node.input_for(Purpose::kTargets);
            const Binding* const made = node.output_for(Purpose::kTargets);
            const bool is_used = std::ranges::any_of(
                node.outputs, [&](const Binding& output) { return is_read(output); });
            if (node.component->kind != Kind::kTransform || before == nullptr || made == nullptr ||
                is_read(*made) || !is_used) {
                continue;
            }
            for (const Node& loss : plan_.nodes) {
                if (loss.component->kind == Kind::kLoss && loss.reads(before->stream)) {
                    pipeline::warn(loss, explained(node, loss, *before, *made), problems_);
                }
            }
        }
    }

    // The words that a search chooses are not those of the largest scores.
    void warn_of_choices() {
        for (const Node& node : plan_.nodes) {
            for (const Binding& chosen : node.outputs) {
                for (const Binding& scores : node.outputs) {
                    if (is_choice(node, chosen, scores)) {
                        warn_of_readers(node, chosen, scores);
                    }
                }
            }
        }
    }

private:
    // Returns whether these are integers that a setting asks for, one for each row of the scores.
    [[nodiscard]] static bool is_choice(const Node& node, const Binding& chosen,
                                        const Binding& scores) {
        return chosen.stream >= 0 && scores.stream >= 0 && !node.port(chosen).when.empty() &&
               node.port(chosen).element == plugin::Element::kInteger &&
               node.port(scores).element == plugin::Element::kFloating &&
               scores.shape.size() == chosen.shape.size() + 1 &&
               std::equal(chosen.shape.begin(), chosen.shape.end(), scores.shape.begin(),
                          [](const Dimension& left, const Dimension& right) {
                              return left.symbol == right.symbol && left.size == right.size;
                          });
    }

    void warn_of_readers(const Node& writer, const Binding& chosen, const Binding& scores) {
        for (const Node& reader : plan_.nodes) {
            if (reader.component->kind == Kind::kLoss || reader.reads(chosen.stream)) {
                continue;
            }
            for (const Binding& input : reader.inputs) {
                const std::string change =
                    input.stream == scores.stream
                        ? change_to_have(reader, plugin::Direction::kInput, input.name,
                                         [](const plugin::Port& port, const Settings&) {
                                             return port.element == plugin::Element::kInteger;
                                         })
                        : "";
                if (!change.empty()) {
                    pipeline::warn(
                        reader,
                        {fmt::format(
                             "takes the largest scores of '{}', but {} may choose others, which are in '{}'",
                             stream_of(scores), node_text(writer), stream_of(chosen)),
                         fmt::format("{} and write streams = {{ {} = \"{}\" }} in {}", change,
                                     toml_key(input.name), stream_of(chosen), reader.path)},
                        problems_);
                }
            }
        }
    }

    [[nodiscard]] const std::string& stream_of(const Binding& binding) const {
        return plan_.stream(binding.stream).name;
    }

    [[nodiscard]] bool has_reader(const Binding& output) const {
        return contains(elsewhere_, stream_of(output)) ||
               std::ranges::any_of(plan_.nodes,
                                   [&](const Node& reader) { return reader.reads(output.stream); });
    }

    // Texts are for people, and count as read.
    [[nodiscard]] bool is_read(const Binding& output) const {
        return output.stream >= 0 &&
               (plugin::is_text(plan_.stream(output.stream).element) || has_reader(output));
    }

    // Returns whether these are the texts that samples to be predicted have, too: no names of them
    // or of their classes.
    [[nodiscard]] static bool is_column_of_texts(const Node& task, const Binding& output) {
        const plugin::Port& port = task.port(output);
        const plugin::Setting* const texts = texts_setting(*task.component);
        return texts != nullptr && plugin::is_text(port.element) && port.streams_setting.empty() &&
               !is_gone(port.when, *texts);
    }

    // Returns whether a component, or a setting of its layers, has the name of this global.
    [[nodiscard]] bool is_global_read(const Node& task, const std::string& declared) const {
        const auto published = task.globals.find(declared);
        return published != task.globals.end() &&
               std::ranges::any_of(plan_.nodes, [&](const Node& node) {
                   return std::ranges::any_of(
                              node.globals,
                              [&](const auto& read) { return read.second == published->second; }) ||
                          std::ranges::any_of(node.settings, [&](const auto& value) {
                              return value && inline_toml(*value).find(published->second) !=
                                                  std::string::npos;
                          });
               });
    }

    // Returns the first of the outputs that the task has only because the experiment sets a
    // setting, if nothing reads any of them; nullptr if something does, if there are none, and if
    // the setting has a purpose besides: a global, or another form of an output.
    [[nodiscard]] const Binding* unread_of(const Node& task, std::size_t setting) const {
        const plugin::Component& declared = *task.component;
        const auto usual = plugin::key_of(declared.settings[setting]).default_value;
        if (!task.settings[setting] || task.settings[setting] == usual) {
            return nullptr;
        }
        auto values = task.settings;
        values[setting] = usual;
        const Settings without{declared, values};
        const auto is_gone = [&](const std::string& when) {
            return !holds(parse_condition(when), without);
        };
        const bool publishes = std::ranges::any_of(declared.globals, [&](const auto& global) {
            return holds(parse_condition(global.when), checked_settings(task)) &&
                   is_gone(global.when) && (global.purpose || is_global_read(task, global.name));
        });
        const Binding* first = nullptr;
        for (const Binding& output : task.outputs) {
            const plugin::Port& port = task.port(output);
            const bool is_listed = port.streams_setting == declared.settings[setting].name;
            if (output.stream < 0 || (!is_listed && !is_gone(port.when))) {
                continue;
            }
            const bool is_other_form =
                !is_listed && std::ranges::any_of(declared.ports, [&](const plugin::Port& other) {
                    return other.name == port.name && !is_gone(other.when);
                });
            if (is_listed && is_read(output)) {
                continue;  // each stream of a list is asked for by itself
            }
            const bool is_unread_text = is_column_of_texts(task, output) && !has_reader(output);
            if (publishes || is_other_form || (is_read(output) && !is_unread_text)) {
                return nullptr;
            }
            first = first == nullptr ? &output : first;
        }
        return first;
    }

    // Names the input that a loss would have by a setting of its own, and which is for this output
    // by its name: `sample_weights` for `weights`.
    [[nodiscard]] std::string fix_of_setting(const Node& task, const std::string& setting,
                                             const Binding& output) const {
        const bool is_listed = task.port(output).streams_setting == setting &&
                               std::ranges::count(task.outputs, output.port, &Binding::port) > 1;
        const std::string rest =
            is_listed ? fmt::format("leave \"{}\" out of {}", stream_of(output),
                                    schema::below(task.path, toml_key(setting)))
                      : fmt::format("leave {} out of {}", toml_key(setting), task.path);
        for (const Node& node : plan_.nodes) {
            for (const plugin::Port& port : node.component->ports) {
                if (node.component->kind != Kind::kLoss || !port.name.ends_with(output.name) ||
                    port.direction != plugin::Direction::kInput ||
                    port.element != task.port(output).element) {
                    continue;
                }
                const std::string change =
                    change_to_hold(parse_condition(port.when), checked_settings(node), node.path);
                if (!change.empty()) {
                    const std::string renaming =
                        port.name == stream_of(output)
                            ? ""
                            : fmt::format(" and write streams = {{ {} = \"{}\" }} in {}",
                                          toml_key(port.name), stream_of(output), node.path);
                    return fmt::format("{}{}, or {}", change, renaming, rest);
                }
            }
        }
        return "name the stream in a component that should read it, or " + rest;
    }

    [[nodiscard]] Explanation explained(const Node& maker, const Node& loss, const Binding& before,
                                        const Binding& made) const {
        const std::string stream = stream_of(made);
        const auto input = std::ranges::find(loss.inputs, before.stream, &Binding::stream);
        const std::string type = loss_of_targets(
            catalog_, loss, input->name, {plan_.stream(made.stream).element, made.shape.size()});
        return {
            fmt::format("compares with '{}', but {} writes '{}' as the targets of what it makes "
                        "of the samples, and nothing reads these",
                        stream_of(before), node_text(maker), stream),
            type.empty() ? fmt::format("let a loss read '{}'", stream)
                         : fmt::format("write type = \"{}\" and streams = {{ {} = \"{}\" }} in {}",
                                       type, toml_key(input->name), stream, loss.path)};
    }

    const Plan& plan_;
    const plugin::Catalog& catalog_;
    const std::vector<std::string>& elsewhere_;
    Diagnostics& problems_;
};

}  // namespace

void warn_of_unread_outputs(const Plan& plan, const plugin::Catalog& catalog,
                            const std::vector<std::string>& read_elsewhere, Diagnostics& problems) {
    UnreadOutputs unread(plan, catalog, read_elsewhere, problems);
    unread.warn_of_settings();
    unread.warn_of_targets();
    unread.warn_of_choices();
}

}  // namespace ptp::pipeline
