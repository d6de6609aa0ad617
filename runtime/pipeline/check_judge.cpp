// Checks the statistic that decides which weights of a training are the best.

#include "pipeline/stages.hpp"

#include "base/ranges.hpp"
#include "base/suggest.hpp"
#include "base/toml_writer.hpp"
#include "experiment/familiar_names.hpp"
#include "pipeline/suggestions.hpp"
#include "schema/check_value.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <vector>

namespace ptp::pipeline {

namespace {

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
    const auto is_kind = [&](const std::string& one) {
        return one.starts_with(experiment::statistic_of(name) + "_");  // "f1score_macro" of "f1"
    };
    if (const auto kind = std::ranges::find_if(known, is_kind); kind != known.end()) {
        return *kind;
    }
    const auto begins = [&](const std::string& one) { return one.starts_with(name); };
    return std::ranges::count_if(known, begins) == 1 ? *std::ranges::find_if(known, begins)
                                                     : nearest(name, known).value_or("");
}

std::string direction_of(const experiment::Judge& judge) {
    return !judge.has_direction ? "" : judge.is_larger_better ? "larger" : "smaller";
}

// Returns the judge with another statistic, and with the values that are better: those of the
// statistic, or where these are not known those that are written.
std::string fix_of_statistic(const experiment::Judge& judge, const std::string& written,
                             const std::string& better) {
    const std::string chosen = better.empty() ? direction_of(judge) : better;
    Value table = Value::table({{"statistic", written}});
    if (!chosen.empty()) {
        table.set("better", chosen);
    }
    if (judge.place.file() == kCommandLine) {
        return schema::typed_value(judge.place, "training.judge", inline_toml(table));
    }
    return fmt::format(
        "write statistic = \"{}\"{}", written,
        chosen == direction_of(judge) ? "" : fmt::format(" and better = \"{}\"", chosen));
}

// Returns the component to add that measures a statistic of what the losses compare, and what else
// the judge needs; "" if no plugin has one.
std::string fix_of_unmeasured(const experiment::Judge& judge, const std::string& set,
                              const Assembly& assembly) {
    const std::string name = experiment::statistic_of(judge.statistic);  // "f1score" of "f1"
    const auto found = component_that_measures(assembly, name);
    if (!found) {
        return "";
    }
    const auto& [component, statistic, setting] = *found;
    const bool is_typed = judge.place.file() == kCommandLine;
    const std::string added =
        is_typed ? schema::typed_value(judge.place, "pipeline." + name,
                                       fmt::format("{{ type = \"{}\"{}{} }}", component->name,
                                                   setting.empty() ? "" : ", ", setting))
                 : fmt::format("add [pipeline.{}] with type = \"{}\"{}{}", name, component->name,
                               setting.empty() ? "" : " and ", setting);
    const std::string better = better_of(*statistic, statistic->name);
    const bool is_right = judge.has_direction && statistic->name == judge.statistic &&
                          (better.empty() || better == direction_of(judge));
    // A typed judge is typed again, with all that it has.
    return is_right && !is_typed
               ? added
               : fmt::format("{}{}{}", added, is_typed ? " " : ", and ",
                             fix_of_statistic(
                                 judge, set.empty() ? statistic->name : set + "." + statistic->name,
                                 better));
}

}  // namespace

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

}  // namespace ptp::pipeline
