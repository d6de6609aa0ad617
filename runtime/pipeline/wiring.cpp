// Connects the ports of all components by the names of their streams.

#include "pipeline/wiring.hpp"

#include "base/suggest.hpp"
#include "pipeline/layers.hpp"
#include "pipeline/sizes.hpp"
#include "pipeline/stages.hpp"
#include "pipeline/suggestions.hpp"
#include "plugin/purpose.hpp"

#include <fmt/core.h>

#include <array>
#include <cstddef>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace ptp::pipeline {

namespace {

using plugin::Element;

class Wiring {
public:
    Wiring(Assembly& assembly, Diagnostics& problems) : assembly_(assembly), problems_(problems) {}

    void run() {
        add_tasks();
        for (std::size_t i = 0; i < assembly_.components.size(); ++i) {
            add_outputs(assembly_.components[i], static_cast<int>(i), false);
        }
        for (Draft& draft : assembly_.components) {
            add_inputs(draft);
        }
        // The advice looks at all readers.
        std::set<std::pair<int, Element>> reported;
        for (const auto& [draft, binding, message] : mistaken_) {
            draft->has_wrong_input = true;
            draft->is_replaced |= has_other_numbers(*draft, *binding);
            const bool is_first =
                reported.emplace(binding->stream, draft->port(*binding).element).second;
            report(draft->node, binding->wire.place,
                   Explanation{message, fix_of_element(assembly_, {*draft, *binding, !is_first})},
                   problems_);
        }
        for (const auto& [draft, binding] : missing_) {
            draft->has_wrong_input = true;
            refuse_missing(*draft, *binding);
        }
    }

private:
    void add_tasks() {
        for (std::size_t i = 0; i < assembly_.tasks.size(); ++i) {
            Draft& task = assembly_.tasks[i];
            task.node.indices_stream = stream_of(task.indices);
            add_writer(task.node.indices_stream, {static_cast<int>(i), -1}, Element::kInteger,
                       true);
            add_outputs(task, static_cast<int>(i), true);
        }
    }

    void add_outputs(Draft& draft, int index, bool is_task) {
        for (std::size_t i = 0; i < draft.node.outputs.size(); ++i) {
            Binding& binding = draft.node.outputs[i];
            if (!has_stream(draft, binding)) {
                continue;
            }
            const int stream = stream_of(binding.wire.stream);
            if (const Writer* other = rival(stream, draft, index, is_task)) {
                refuse_rival(draft, binding, *other);
                continue;
            }
            binding.stream = stream;
            add_writer(stream, {index, static_cast<int>(i)}, draft.port(binding).element, is_task);
        }
    }

    // The writer that keeps another one from writing the stream.
    const Writer* rival(int stream, const Draft& draft, int index, bool is_task) const {
        const WiredStream& wired = at(stream);
        const std::string& tried_in = draft.node.tried_in;
        const auto found = std::ranges::find_if(wired.writers, [&](const Writer& writer) {
            const bool is_other_section = is_task && wired.is_of_tasks && writer.draft != index;
            const bool is_other_turn = !tried_in.empty() && !wired.is_of_tasks &&
                                       writer.draft != index &&
                                       assembly_.writer(wired, writer).node.tried_in == tried_in;
            return !is_other_section && !is_other_turn;
        });
        return found == wired.writers.end() ? nullptr : &*found;
    }

    void refuse_rival(const Draft& draft, const Binding& binding, const Writer& rival) {
        refused_.push_back(draft.port(binding).name);
        std::string free_name = fmt::format("{}_{}", draft.node.name, draft.port(binding).name);
        while (numbers_.contains(free_name)) {
            free_name += "_2";
        }
        const bool is_of_host = rival.output < 0;
        report(
            draft.node, binding.wire.place,
            fmt::format("output '{}' writes stream '{}', which {} writes already{}; {}",
                        binding.name, binding.wire.stream,
                        node_text(assembly_.writer(at(stream_of(binding.wire.stream)), rival).node),
                        is_of_host ? ": every task does, with the number of each sample" : "",
                        stream_renaming_text(draft.node, binding, free_name)),
            problems_);
    }

    void add_writer(int stream, Writer writer, Element element, bool is_task) {
        WiredStream& wired = at(stream);
        const bool is_first = wired.writers.empty();
        if (is_first) {
            wired.element = element;
            wired.is_of_tasks = is_task;
        } else if (wired.element != element) {
            const Draft& here = assembly_.writer(wired, writer);
            const Draft& there = assembly_.writer(wired, wired.writers.front());
            report(here.node, here.node.place,
                   fmt::format("writes {} to stream '{}', but {} writes {}; {} must agree",
                               element_text(element), wired.name, node_text(there.node),
                               element_text(wired.element),
                               is_task ? "the sections" : "components that are tried in turn"),
                   problems_);
        }
        wired.writers.push_back(writer);
    }

    void add_inputs(Draft& draft) {
        for (Binding& binding : draft.node.inputs) {
            if (!has_stream(draft, binding)) {
                continue;
            }
            const auto stream = numbers_.find(binding.wire.stream);
            if (stream != numbers_.end()) {
                binding.stream = stream->second;
                check_element(draft, binding);
            } else if (!draft.port(binding).is_optional || binding.wire.is_named) {
                missing_.emplace_back(&draft, &binding);
            }
        }
    }

    void refuse_missing(const Draft& draft, const Binding& binding) {
        // A reader of what a refused output would be called is not to blame.
        const bool is_certain = draft.is_sound || !depends_on_settings(draft.port(binding));
        if (!assembly_.are_streams_known || !is_certain ||
            contains(refused_, binding.wire.stream) ||
            report_compared(assembly_, draft, problems_)) {
            return;
        }
        std::string message = fmt::format("input '{}' reads stream '{}', which nothing writes",
                                          binding.name, binding.wire.stream);
        if (const auto inner = stream_of_layer(assembly_, binding)) {
            report(draft.node, binding.wire.place, *inner, problems_);
            return;
        }
        std::string fix = fix_by_target(draft, binding);
        const Element element = draft.port(binding).element;
        if (fix.empty()) {
            fix = fix_by_unread(draft, binding);
        }
        if (fix.empty()) {
            fix = setting_to_have(assembly_, binding.wire.stream, Source::kStream, element);
            const std::string numbers = fix_by_numbers(assembly_, draft, binding);
            fix = numbers.empty()
                      ? fix
                      : fmt::format("to predict numbers, {}; to predict classes, {}", numbers, fix);
        }
        if (fix.empty() && lacks_model(draft, binding)) {
            fix = fmt::format("add a model whose output is '{}'", binding.wire.stream);
        }
        const auto meant = nearest(binding.wire.stream, names_for(draft, Element::kAny));
        const std::string only = meant ? "" : only_task_stream(assembly_, draft, binding);
        fix = fix.empty() && !only.empty() ? fix_of_name(draft, binding, only) : fix;
        if (!fix.empty()) {
            // A setting of what writes it is the fix for all that read it.
            if (!fix.ends_with("only then") || fixes_.insert(fix).second) {
                report(draft.node, binding.wire.place, Explanation{message, fix}, problems_);
            }
            return;
        }
        if (meant) {
            message += fmt::format("; did you mean '{}'? Then {}", *meant,
                                   stream_renaming_text(draft.node, binding, *meant));
        } else if (const auto fitting = names_for(draft, element); !fitting.empty()) {
            message +=
                fmt::format("; streams of {}: {}; to read one of them {}", element_text(element),
                            joined(fitting), stream_renaming_text(draft.node, binding, "..."));
        } else {
            message += fmt::format("; streams of {}: none", element_text(element));
        }
        report(draft.node, binding.wire.place, message, problems_);
    }

    static std::string fix_of_name(const Draft& draft, const Binding& binding,
                                   const std::string& stream) {
        return fmt::format("{} in {}", stream_renaming_text(draft.node, binding, stream),
                           draft.node.path);
    }

    // The only stream of the tasks that fits and is no input of a model. A task that may write the
    // missing stream itself, and as the port takes it, lacks one setting.
    std::string fix_by_target(const Draft& draft, const Binding& binding) const {
        const plugin::Port& reader = draft.port(binding);
        const bool reads_others =
            reader.purpose != plugin::Purpose::kTargets &&
            plugin::find_purpose(draft.node.component->ports, plugin::Purpose::kTargets) != nullptr;
        if (binding.wire.is_named || reads_others || !draft.node.compares() ||
            !setting_to_have(assembly_, binding.wire.stream, Source::kStream, reader.element)
                 .empty()) {
            return "";
        }
        const Shape wanted = shape_of(reader, checked_settings(draft.node));
        std::vector<std::string> found;
        for (const TargetStream& target : target_streams(assembly_)) {
            if (wanted && !reads(draft, target.name) && target.element == reader.element &&
                target.shape.size() == wanted->size()) {
                found.push_back(target.name);
            }
        }
        return found.size() == 1 ? fix_of_name(draft, binding, found[0]) : "";
    }

    // Returns whether it lacks predictions, because there is no model.
    bool lacks_model(const Draft& draft, const Binding& binding) const {
        const auto is_model = [](const Draft& other) {
            return other.node.component->kind == plugin::Kind::kModel;
        };
        return has_target(draft) && !binding.wire.is_named &&
               std::ranges::none_of(assembly_.components, is_model);
    }

    static bool writes(const Draft& draft, const std::string& stream) {
        return std::ranges::any_of(draft.node.outputs, [&](const Binding& output) {
            return output.wire.stream == stream;
        });
    }

    static bool reads(const Draft& draft, const std::string& stream) {
        return std::ranges::any_of(
            draft.node.inputs, [&](const Binding& input) { return input.wire.stream == stream; });
    }

    // Returns whether the component compares predictions, and knows with which targets.
    bool has_target(const Draft& draft) const {
        return draft.node.compares() &&
               std::ranges::any_of(target_streams(assembly_), [&](const TargetStream& target) {
                   return reads(draft, target.name);
               });
    }

    // Returns whether a task writes the stream only for samples with targets.
    static bool lacks_new_samples(const Draft& source, const std::string& stream) {
        const std::vector<plugin::Setting>& settings = source.node.component->settings;
        return std::ranges::any_of(source.node.outputs, [&](const Binding& output) {
            return output.wire.stream == stream &&
                   std::ranges::any_of(parse_condition(source.port(output).when).terms,
                                       [&](const Term& term) {
                                           const auto* setting = find_named(settings, term.setting);
                                           return setting != nullptr && setting->takes_unlabeled;
                                       });
        });
    }

    // The only stream of this element that nothing reads, for a transform or model without a name
    // for what it reads; not the scores of a loss, nor what new samples lack. For a loss that has
    // its targets, one that a model writes.
    std::string fix_by_unread(const Draft& draft, const Binding& binding) const {
        const plugin::Kind kind = draft.node.component->kind;
        if (binding.wire.is_named || (kind != plugin::Kind::kTransform &&
                                      kind != plugin::Kind::kModel && !has_target(draft))) {
            return "";
        }
        std::vector<std::string> found;
        for (std::size_t i = 0; i < assembly_.streams.size(); ++i) {
            const WiredStream& stream = assembly_.streams[i];
            const auto is_of_no_use = [&](const Writer& writer) {
                const Draft& source = assembly_.writer(stream, writer);
                const plugin::Kind of = source.node.component->kind;
                return &source == &draft || of == plugin::Kind::kLoss ||
                       (has_target(draft) && of != plugin::Kind::kModel) ||
                       lacks_new_samples(source, stream.name) ||
                       sources_of(assembly_, source).contains(&draft);
            };
            if (stream.element == draft.port(binding).element && !is_of_host(stream) &&
                !assembly_.is_read(static_cast<int>(i)) &&
                std::ranges::none_of(stream.writers, is_of_no_use)) {
                found.push_back(stream.name);
            }
        }
        const std::string model =
            found.size() == 1 ? model_behind_steps(assembly_, draft, binding, found[0]) : "";
        return found.size() == 1 && model.empty() ? fix_of_name(draft, binding, found[0]) : model;
    }

    void check_element(Draft& draft, const Binding& binding) {
        const WiredStream& stream = at(binding.stream);
        const Element wanted = draft.port(binding).element;
        if (wanted == Element::kAny || wanted == stream.element) {
            return;
        }
        const Draft& writer = assembly_.writer(stream, stream.writers.front());
        std::string message =
            fmt::format("input '{}' takes {}, but stream '{}' carries {} (written by {})",
                        binding.name, element_text(wanted), stream.name,
                        element_text(stream.element), node_text(writer.node));
        const std::vector<std::string> fitting = names_for(draft, wanted);
        if (!fitting.empty()) {
            message += fmt::format("; streams of {}: {}", element_text(wanted), joined(fitting));
        }
        mistaken_.emplace_back(&draft, &binding, std::move(message));
    }

    [[nodiscard]] bool has_other_numbers(const Draft& draft, const Binding& binding) const {
        const auto is_number = [](Element element) {
            return element == Element::kInteger || element == Element::kFloating;
        };
        return draft.node.compares() && is_number(draft.port(binding).element) &&
               is_number(at(binding.stream).element);
    }

    bool has_stream(const Draft& draft, const Binding& binding) {
        if (binding.wire.stream.empty() && binding.wire.is_named) {
            report(draft.node, binding.wire.place,
                   fmt::format("port '{}': the name of a stream must not be empty", binding.name),
                   problems_);
        }
        return !binding.wire.stream.empty();
    }

    WiredStream& at(int stream) { return assembly_.streams[static_cast<std::size_t>(stream)]; }
    const WiredStream& at(int stream) const { return assembly_.stream(stream); }

    int stream_of(const std::string& name) {
        const auto [found, is_new] =
            numbers_.emplace(name, static_cast<int>(assembly_.streams.size()));
        if (is_new) {
            assembly_.streams.push_back({.name = name});
        }
        return found->second;
    }

    // The streams of this element that the reader does not write itself.
    std::vector<std::string> names_for(const Draft& reader, Element element) const {
        std::vector<std::string> names;
        for (const WiredStream& stream : assembly_.streams) {
            const bool fits =
                element == Element::kAny || (stream.element == element && !is_of_host(stream));
            if (fits && !writes(reader, stream.name)) {
                names.push_back(stream.name);
            }
        }
        return names;
    }

    Assembly& assembly_;
    Diagnostics& problems_;
    std::map<std::string, int> numbers_;                      // of the streams, by name
    std::vector<std::pair<Draft*, const Binding*>> missing_;  // inputs without a stream
    // Inputs whose stream carries other elements, and what is wrong.
    std::vector<std::tuple<Draft*, const Binding*, std::string>> mistaken_;
    std::set<std::string> fixes_;       // of streams that are missing
    std::vector<std::string> refused_;  // ports that would have written another's stream
};

}  // namespace

void wire(Assembly& assembly, Diagnostics& problems) {
    Wiring(assembly, problems).run();
}

void report(const Node& node, const SourceLocation& place, const std::string& message,
            Diagnostics& problems) {
    report(node, place, Explanation{message}, problems);
}

void report(const Node& node, const SourceLocation& place, const Explanation& message,
            Diagnostics& problems) {
    problems.error(place, "",
                   Explanation{fmt::format("{}: {}", node.path, message.reason), message.fix});
}

void warn(const Node& node, const Explanation& message, Diagnostics& problems) {
    problems.warning(node.place, "",
                     Explanation{fmt::format("{}: {}", node.path, message.reason), message.fix});
}

std::string element_text(Element element) {
    constexpr auto kTexts = std::to_array<const char*>(
        {"floating numbers", "integers", "booleans", "bytes", "strings", "lists of strings",
         "lists of tensors", "anything"});  // in the order of Element, which begins with 1
    return kTexts.at(static_cast<std::size_t>(element) - 1);
}

}  // namespace ptp::pipeline
