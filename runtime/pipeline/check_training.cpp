// Checks what [training] specifies for components and losses, after the pipeline is wired.

#include "pipeline/stages.hpp"

#include "base/ranges.hpp"
#include "base/suggest.hpp"
#include "base/toml_reader.hpp"
#include "base/toml_writer.hpp"
#include "experiment/familiar_names.hpp"
#include "pipeline/evaluate.hpp"
#include "pipeline/globals.hpp"
#include "pipeline/suggestions.hpp"
#include "pipeline/task_data.hpp"
#include "pipeline/wiring.hpp"
#include "plugin/enum_names.hpp"
#include "schema/check_value.hpp"

#include <ptp/ext/state.h>

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <utility>

namespace ptp::pipeline {

namespace {

double weight_of(const std::string& loss, const experiment::Training& training) {
    const auto* const own = find_by(training.loss_weights, loss, &experiment::LossWeight::loss);
    return own == nullptr ? 1 : own->weight;
}

// The streams of the component's losses.
std::vector<std::string> losses_of(const Draft& draft, const Assembly& assembly) {
    std::vector<std::string> names;
    for (const Binding& output : draft.node.outputs) {
        if (output.stream >= 0 && draft.port(output).is_loss) {
            names.push_back(assembly.stream(output.stream).name);
        }
    }
    return names;
}

void check_weights(const experiment::Training& training, const std::vector<std::string>& losses,
                   Diagnostics& problems) {
    bool are_known = true;
    for (const experiment::LossWeight& weight : training.loss_weights) {
        if (!contains(losses, weight.loss)) {
            problems.error(weight.place, "training.loss_weights." + weight.loss,
                           "unknown loss" + hint(weight.loss, losses));
            are_known = false;
        }
    }
    const auto weighs_nothing = [&](const std::string& loss) {
        return weight_of(loss, training) == 0;
    };
    if (are_known && std::ranges::all_of(losses, weighs_nothing)) {
        problems.error(training.loss_weights.front().place, "training.loss_weights",
                       "no loss weighs more than 0, so there is nothing to minimize");
    }
}

void check_groups(const experiment::Training& training, const Assembly& assembly,
                  Diagnostics& problems) {
    for (const experiment::ParameterGroup& group : training.groups) {
        for (const Draft& draft : assembly.components) {
            const plugin::Component& component = *draft.node.component;
            if (draft.node.name == group.component && component.kind != plugin::Kind::kModel) {
                problems.error(group.place, "training.optimizer.groups." + group.component,
                               fmt::format("{} is a {} and has no parameters: only models do",
                                           component.name, plugin::to_string(component.kind)));
            }
        }
    }
}

// Returns how something of a frozen model is trained: what `load` leaves out of it, or all of it.
std::string change_to_train(const Node& model, const experiment::Experiment& experiment) {
    const auto* const entry =
        find_by(experiment.pipeline.components, model.name, &experiment::ComponentEntry::name);
    const auto& load = entry == nullptr ? std::nullopt : entry->load;
    if (!model.is_frozen) {
        return fmt::format(
            "set training.optimizer.groups.{}.frozen = false, or that of another model",
            model.name);
    }
    if (load && !load->except.empty()) {
        return fmt::format("set {}.freeze = {{ except = {} }}, which trains what is not loaded",
                           model.path,
                           inline_toml(Value::list({load->except.begin(), load->except.end()})));
    }
    return fmt::format(
        "set {0}.freeze = false, or that of another model; {{ except = [LAYERS] }} in its place "
        "trains some layers, which ptprun summary FILE --set {0}.freeze=false lists",
        model.path);
}

// Reports that nothing is to be minimized: at a loss that is disabled, if there is one.
void report_no_loss(const Assembly& assembly, Diagnostics& problems) {
    const experiment::Experiment& experiment = *assembly.experiment;
    for (const experiment::ComponentEntry& entry : experiment.pipeline.components) {
        const auto found = assembly.catalog->find(entry.type);
        if (entry.is_enabled || found.empty() ||
            found.front().component->kind != plugin::Kind::kLoss) {
            continue;
        }
        const Value* const written = experiment.document == nullptr
                                         ? nullptr
                                         : experiment.document->find_path(entry.path + ".enabled");
        problems.error(
            entry.place, entry.path,
            Explanation{
                "is disabled, and there is no other loss, so there is nothing to train",
                written == nullptr
                    ? fmt::format("remove \"{}\" from pipeline.disable", entry.name)
                    : schema::typed_value(written->place(), entry.path + ".enabled", "true")});
        return;
    }
    const std::string loss = loss_that_reads(*assembly.catalog, assembly.streams);
    problems.error(experiment.pipeline.place, "pipeline",
                   "has no loss, so there is nothing to train; add one" +
                       (loss.empty() ? "" : ", such as " + loss));
}

}  // namespace

namespace {

// Returns the first output of a task with targets of the element that a test takes; "" if none is.
template <class IsIt>
std::string target_stream(const Assembly& assembly, plugin::Element element, const IsIt& is_it) {
    for (const Draft& task : assembly.tasks) {
        for (const Binding& output : task.node.outputs) {
            const plugin::Port& port = task.port(output);
            if (output.stream >= 0 && is_with_targets(task.node, output) &&
                port.element == element && is_it(output.wire.stream)) {
                return output.wire.stream;
            }
        }
    }
    return "";
}

// Returns how the experiment names these two streams, and the others as before.
std::string fix_of_compared(const Draft& draft, const Binding& predictions, const Binding& targets,
                            const std::pair<std::string, std::string>& streams) {
    Value named = Value::table();
    for (const auto* bindings : {&draft.node.inputs, &draft.node.outputs}) {
        for (const Binding& one : *bindings) {
            const plugin::Port& port = draft.port(one);
            const std::string& stream = &one == &predictions ? streams.first
                                        : &one == &targets   ? streams.second
                                                             : one.wire.stream;
            const bool is_written = &one == &predictions || &one == &targets
                                        ? stream != port.name
                                        : one.wire.is_named && port.streams_setting.empty();
            if (is_written) {
                named.set(port.name, stream);
            }
        }
    }
    return named.members().empty()
               ? fmt::format("leave streams out of {}", draft.node.path)
               : fmt::format("write streams = {} in {}", inline_toml(named), draft.node.path);
}

}  // namespace

bool report_compared(const Assembly& assembly, const Draft& draft, Diagnostics& problems) {
    const auto targets = std::ranges::find_if(draft.node.inputs, [&](const Binding& input) {
        return !input.wire.stream.empty() && draft.port(input).purpose == plugin::Purpose::kTargets;
    });
    if (!draft.node.compares() || targets == draft.node.inputs.end()) {
        return false;
    }
    const plugin::Element element = draft.port(*targets).element;
    for (const Binding& input : draft.node.inputs) {
        const plugin::Port& port = draft.port(input);
        const std::string& stream = input.wire.stream;
        if (&input == &*targets || stream.empty() || port.is_optional ||
            !port.streams_setting.empty() || port.element != element) {
            continue;
        }
        const bool is_one = stream == targets->wire.stream;
        const bool is_right = !target_stream(assembly, element, [&](const std::string& one) {
                                   return one == stream;
                               }).empty();
        if (!is_one && (targets->stream >= 0 || !is_right)) {
            continue;
        }
        const auto is_written = [&](const Draft& other) {
            return std::ranges::any_of(other.node.outputs, [&](const Binding& output) {
                return output.wire.stream == port.name && output.wire.stream != stream;
            });
        };
        const std::string predictions = !is_right ? stream
                                        : std::ranges::any_of(assembly.components, is_written)
                                            ? port.name
                                            : "...";
        const std::string other =
            is_right ? stream
                     : target_stream(assembly, element, [](const std::string&) { return true; });
        report(
            draft.node, (is_right ? input : *targets).wire.place,
            Explanation{
                is_right ? fmt::format("input '{}' reads stream '{}', what is right, which is to "
                                       "be read as '{}'{}",
                                       input.name, stream, targets->name,
                                       is_one ? ": it is compared with itself" : "")
                         : fmt::format("inputs '{}' and '{}' read one stream, '{}': it is "
                                       "compared with itself",
                                       input.name, targets->name, stream),
                fix_of_compared(draft, input, *targets,
                                {predictions, other.empty() ? "..." : other})},
            problems);
        return true;
    }
    return false;
}

void check_training(const Assembly& assembly, Diagnostics& problems) {
    const experiment::Experiment& experiment = *assembly.experiment;
    check_groups(experiment.training, assembly, problems);
    for (const Draft& draft : assembly.components) {
        if (assembly.processed.empty() && draft.is_sound && !draft.has_wrong_input) {
            report_compared(assembly, draft, problems);
        }
    }
    if (!assembly.is_complete || !assembly.processed.empty()) {
        return;
    }
    std::vector<std::string> losses;
    for (const Draft& draft : assembly.components) {
        std::ranges::copy(losses_of(draft, assembly), std::back_inserter(losses));
    }
    if (!losses.empty()) {
        check_weights(experiment.training, losses, problems);
        return;
    }
    report_no_loss(assembly, problems);
}

namespace {

// Reports a training, or a validation set that judges, in which no loss runs.
void check_losses_of_sections(const Assembly& assembly, Diagnostics& problems) {
    const experiment::Experiment& experiment = *assembly.experiment;
    for (std::size_t task = 0; task < assembly.tasks.size(); ++task) {
        const std::string& section = assembly.tasks[task].node.section;
        const bool runs = std::ranges::any_of(assembly.components, [&](const Draft& draft) {
            return draft.node.runs_for[task] &&
                   std::ranges::any_of(losses_of(draft, assembly), [&](const std::string& loss) {
                       return weight_of(loss, experiment.training) > 0;
                   });
        });
        const bool is_judging = section == experiment.training.name ||
                                (experiment.validation && section == experiment.validation->name);
        if (runs || !is_judging) {
            continue;
        }
        problems.error(
            experiment.pipeline.place, "pipeline",
            fmt::format("no loss {}runs in [{}], so {}",
                        experiment.training.loss_weights.empty() ? "" : "that weighs more than 0 ",
                        section,
                        section == "training" ? "there is nothing to train"
                                              : "nothing determines which weights are best"));
    }
}

// Reports an experiment whose models are all frozen.
void check_something_is_trained(const Assembly& assembly, Diagnostics& problems) {
    const experiment::Experiment& experiment = *assembly.experiment;
    const Node* last = nullptr;  // model, which is new in most trainings with frozen ones
    for (const Draft& draft : assembly.components) {
        if (draft.node.component->kind != plugin::Kind::kModel) {
            continue;
        }
        const auto* const group = find_by(experiment.training.groups, draft.node.name,
                                          &experiment::ParameterGroup::component);
        // A model that is frozen until an epoch counts as frozen: nothing trains in the first ones.
        if (!draft.node.is_frozen && (group == nullptr || !group->is_frozen)) {
            return;
        }
        last = &draft.node;
    }
    if (last != nullptr) {
        const auto* const entry =
            find_by(experiment.pipeline.components, last->name, &experiment::ComponentEntry::name);
        const bool has_entry = entry != nullptr && entry->freeze_place != SourceLocation();
        problems.error(
            has_entry ? entry->freeze_place : experiment.pipeline.place,
            has_entry ? last->path + ".freeze" : "pipeline",
            Explanation{
                has_entry && entry->frozen_until
                    ? fmt::format("there is nothing to train before epoch {}: no model has a "
                                  "parameter that is not frozen until then",
                                  *entry->frozen_until)
                    : "there is nothing to train: no model has a parameter that is not frozen",
                change_to_train(*last, experiment)});
    }
}

// Reports components that compute statistics of a whole set, but declare no state to save them.
void check_counts_are_saved(const Assembly& assembly, Diagnostics& problems) {
    for (const Draft& draft : assembly.components) {
        const plugin::Component& component = *draft.node.component;
        if (!component.abilities ||
            std::ranges::count(*component.abilities, PTP_EXTENSION_STATE) > 0) {
            continue;
        }
        for (std::size_t i = 0; i < component.statistics.size(); ++i) {
            const plugin::Statistic& statistic = component.statistics[i];
            const bool exists = i < draft.node.has_statistic.size() && draft.node.has_statistic[i];
            if (statistic.aggregation != plugin::Aggregation::kComputed || !exists) {
                continue;
            }
            problems.error(
                draft.node.place, draft.node.path,
                Explanation{
                    fmt::format(
                        "{} computes the statistic '{}' over a whole set and cannot save what "
                        "it has counted: a training that is interrupted and resumed would produce "
                        "another value",
                        component.name, statistic.name),
                    fmt::format("give it state(), or export_state() and import_state() ({}), and "
                                "build the plugin '{}' again",
                                PTP_EXTENSION_STATE, draft.node.plugin->manifest.name)});
            break;
        }
    }
}

}  // namespace

void check_sections(const Assembly& assembly, bool is_wired, Diagnostics& problems) {
    check_counts_are_saved(assembly, problems);
    if (problems.ok()) {
        check_losses_of_sections(assembly, problems);
    }
    if (is_wired) {
        check_judge(assembly, problems);
    }
    check_something_is_trained(assembly, problems);
}

}  // namespace ptp::pipeline
