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
#include "plugin/enum_names.hpp"
#include "schema/check_value.hpp"

#include <ptp/ext/state.h>

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <iterator>

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

void check_training(const Assembly& assembly, Diagnostics& problems) {
    const experiment::Experiment& experiment = *assembly.experiment;
    check_groups(experiment.training, assembly, problems);
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

// Returns "larger" or "smaller", as the component declares it, and of others as their names say
// it; "" if neither does. Losses are minimized.
std::string better_of(const plugin::Statistic& statistic, const std::string& name) {
    return statistic.is_larger_better    ? "larger"
           : statistic.is_smaller_better ? "smaller"
                                         : experiment::usual_direction(name);
}

std::string better_value(const std::string& statistic, const Assembly& assembly) {
    for (const Draft& draft : assembly.components) {
        for (const auto& [declared, name] : draft.node.statistics) {
            if (name == statistic) {
                const auto* const found = find_named(draft.node.component->statistics, declared);
                return found == nullptr ? "smaller" : better_of(*found, name);
            }
        }
    }
    return statistic == kTotalStatistic ? "smaller" : experiment::usual_direction(statistic);
}

// Reports a judge without the values that are better, and warns of one with the worse ones.
// `written` is the statistic with its validation set.
void check_better(const experiment::Judge& judge, const std::string& written,
                  const std::string& better, Diagnostics& problems) {
    const std::string chosen = judge.is_larger_better ? "larger" : "smaller";
    const bool is_typed = judge.place.file() == kCommandLine;  // perhaps as a table
    const bool is_better_typed = !is_typed && judge.better_place.file() == kCommandLine;
    const SourceLocation& place = is_better_typed ? judge.better_place : judge.place;
    const auto fix = [&](const std::string& value) {
        return is_typed
                   ? schema::typed_value(
                         judge.place, "training.judge",
                         inline_toml(Value::table({{"statistic", written}, {"better", value}})))
                   : schema::typed_value(place, "training.judge.better", '"' + value + '"');
    };
    if (judge.has_direction) {
        if (!better.empty() && better != chosen) {
            problems.warning(
                place, "training.judge.better",
                Explanation{
                    fmt::format("\"{}\", but of {} the {} value is the better one: the worst "
                                "weights would count as the best",
                                chosen, judge.statistic, better),
                    fix(better)});
        }
    } else if (!better.empty()) {
        problems.error(judge.place, "training.judge.better",
                       Explanation{fmt::format("required, but missing; of {} the {} value is the "
                                               "better one",
                                               judge.statistic, better),
                                   fix(better)});
    } else {
        problems.error(
            judge.place, "training.judge.better",
            Explanation{fmt::format("required, but missing: which values of {} are "
                                    "better is not known",
                                    judge.statistic),
                        fmt::format("{} if the larger ones are, else \"smaller\"", fix("larger"))});
    }
}

// Returns the measured statistic that a name means: "accuracy" for "acc", or the only one that
// begins with it; "" if there is none.
std::string meant_statistic(const std::string& name, const std::vector<std::string>& known) {
    if (const std::string meant = experiment::statistic_of(name); contains(known, meant)) {
        return meant;
    } else if (meant == "accuracy" && contains(known, "exact_match")) {
        return "exact_match";  // the accuracy of yes-or-no, and of several labels
    }
    const auto begins = [&](const std::string& one) { return one.starts_with(name); };
    return std::ranges::count_if(known, begins) == 1 ? *std::ranges::find_if(known, begins)
                                                     : nearest(name, known).value_or("");
}

// Returns the judge with another statistic, and with the values that are better where they are
// known.
std::string fix_of_statistic(const experiment::Judge& judge, const std::string& written,
                             const std::string& better) {
    const std::string chosen = !judge.has_direction     ? better
                               : judge.is_larger_better ? "larger"
                                                        : "smaller";
    Value table = Value::table({{"statistic", written}});
    if (!chosen.empty()) {
        table.set("better", chosen);
    }
    if (judge.place.file() == kCommandLine) {
        return schema::typed_value(judge.place, "training.judge", inline_toml(table));
    }
    return fmt::format(
        "write statistic = \"{}\"{}", written,
        judge.has_direction || better.empty() ? "" : fmt::format(" and better = \"{}\"", better));
}

// Returns the component to add that measures a statistic, and what else the judge needs; "" if no
// plugin has one.
std::string fix_of_unmeasured(const experiment::Judge& judge, const std::string& set,
                              const Assembly& assembly) {
    const std::string name = experiment::statistic_of(judge.statistic);  // "f1score" of "f1"
    for (const plugin::Component* component : components_of(*assembly.catalog)) {
        const auto* const statistic = find_named(component->statistics, name);
        const auto defaults = transformed(component->settings, [](const plugin::Setting& one) {
            return one.default_value ? read_toml_value(*one.default_value) : std::nullopt;
        });
        if (component->kind != plugin::Kind::kStatistic || statistic == nullptr ||
            statistic->is_hidden ||
            !holds(parse_condition(statistic->when), {*component, defaults})) {
            continue;
        }
        const bool is_typed = judge.place.file() == kCommandLine;
        const std::string added =
            is_typed ? schema::typed_value(judge.place, "pipeline." + name,
                                           fmt::format("{{ type = \"{}\" }}", component->name))
                     : fmt::format("add [pipeline.{}] with type = \"{}\"", name, component->name);
        return judge.has_direction && name == judge.statistic
                   ? added
                   : fmt::format("{}{}{}", added, is_typed ? " " : ", and ",
                                 fix_of_statistic(judge, set.empty() ? name : set + "." + name,
                                                  better_of(*statistic, name)));
    }
    return "";
}

// Reports a judging statistic that its validation set does not measure, and what is wrong with the
// values that are better.
void check_judge(const Assembly& assembly, Diagnostics& problems) {
    const experiment::Experiment& experiment = *assembly.experiment;
    const auto& judge = experiment.training.judge;
    if (!judge || judge->statistic.empty()) {  // it is missing, which is reported
        return;
    }
    const std::string section =
        experiment.validation ? experiment.validation->name : experiment.training.name;
    const std::vector<std::string> known = statistics_in(section, assembly);
    const std::string& set = experiment.training.judging_set;
    const std::string written = set.empty() ? judge->statistic : set + "." + judge->statistic;
    if (!contains(known, judge->statistic)) {
        const std::string meant = meant_statistic(judge->statistic, known);
        const std::string whole = set.empty() ? meant : set + "." + meant;
        problems.error(
            Value(written).at(judge->place), "training.judge.statistic",
            Explanation{fmt::format("[{}] has no statistic of this name{}", section,
                                    meant.empty() ? hint(judge->statistic, known)
                                                  : fmt::format("; did you mean '{}'?", meant)),
                        meant.empty()
                            ? fix_of_unmeasured(*judge, set, assembly)
                            : fix_of_statistic(*judge, whole, better_value(meant, assembly))});
        return;
    }
    check_better(*judge, written, better_value(judge->statistic, assembly), problems);
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
