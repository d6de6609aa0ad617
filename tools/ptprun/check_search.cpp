// Checks [search] by preparing the experiment with the ends of each range. Nothing is drawn here.

#include "sweep_points.hpp"

#include "experiment/load/override.hpp"
#include "experiment/resumable.hpp"
#include "experiment/searching.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

namespace ptp::ptprun {

namespace {

using experiment::Searching;
using experiment::SearchRange;

// A setting that all trials have in common, with everything below it.
struct Fixed {
    std::string_view key;
    std::string_view why;
};

constexpr std::array kFixed = {
    Fixed{"name", "it is the name of all trials"},
    Fixed{"seed", "the trials are drawn from it"},
    Fixed{"training.judge", "the trials are compared by it"},
    Fixed{"training.worker", "it decides how the training of a trial is counted"},
    Fixed{"training.terminal_conditions", "the trials are compared when they are equally long"},
    Fixed{"validation", "the trials are compared by it"},
};

// Fixed if nothing else judges the trials.
constexpr Fixed kLossWeights = {"training.loss_weights",
                                "the trials are compared by the loss, which it defines"};

bool covers(const Fixed& fixed, const std::string& key) {
    return key == fixed.key || key.starts_with(std::string(fixed.key) + ".");
}

// Returns whether the key only affects how samples are loaded, which changes none of them.
bool is_of_loader(const std::string& key) {
    return key.starts_with("validation.") && key.find(".dataloader.") != std::string::npos;
}

const Fixed* fixed_by(const std::string& key, const experiment::Experiment& base) {
    if (is_of_loader(key)) {
        return nullptr;
    }
    if (!base.training.judge && covers(kLossWeights, key)) {
        return &kLossWeights;
    }
    const auto* const found =
        std::ranges::find_if(kFixed, [&](const Fixed& fixed) { return covers(fixed, key); });
    return found == kFixed.end() ? nullptr : found;
}

// Returns why trials with this value would not be comparable.
std::optional<Explanation> incomparable(const SearchRange& range,
                                        const experiment::Experiment& base,
                                        const experiment::Experiment& with) {
    for (const std::string& key : experiment::differing_keys(base, with)) {
        if (const Fixed* fixed = fixed_by(key, base)) {
            return Explanation{
                key == range.key
                    ? fmt::format("cannot be searched: {}", fixed->why)
                    : fmt::format("changes {}, which cannot be searched: {}", key, fixed->why),
                ""};
        }
    }
    return std::nullopt;
}

// Returns the first problem of the experiment with this value.
std::optional<Explanation> problem_with(const host::Request& request, const SearchRange& range,
                                        const Value& value, const experiment::Experiment& base) {
    host::Request with = request;
    with.overrides.push_back(experiment::override_text(range.key, value));
    const auto number = static_cast<int>(with.overrides.size());
    Diagnostics found;
    const host::Prepared prepared = host::prepare(with, found);
    for (const Problem& problem : found.sorted()) {
        if (problem.severity != Severity::kError) {
            continue;
        }
        const bool is_about_it =
            problem.place.file() == kCommandLine && problem.place.line() == number;
        const bool is_key = is_about_it && problem.key == range.key;
        return Explanation{is_key        ? problem.message
                           : is_about_it ? problem.key + ": " + problem.message
                                         : "with it: " + problem.reason(),
                           problem.fix};
    }
    return incomparable(range, base, prepared.experiment);
}

// Checks the range. Problems of all values, such as an unknown key, are reported for the first.
void check_range(const host::Request& request, const SearchRange& range,
                 const experiment::Experiment& base, Diagnostics& problems) {
    std::set<std::string> said;
    for (const Value& value : range.values) {
        const std::optional<Explanation> problem = problem_with(request, range, value, base);
        if (problem && said.insert(problem->text()).second) {
            problems.error(value, experiment::range_path(range.key), *problem);
        }
    }
}

void check_budget(const experiment::Experiment& experiment, Diagnostics& problems) {
    const Searching& search = experiment.search;
    const TrialBudget budget = trial_budget(experiment);
    const std::string limit = fmt::format("training.terminal_conditions.{}_limit",
                                          budget.is_online ? "episode" : "epoch");
    const Value min_budget =
        Value(search.min_budget.value_or(0)).at(search.min_budget_place);  // where it exists
    if (search.halving == 0) {
        if (search.min_budget) {
            problems.warning(search.min_budget_place, "search.min_budget",
                             "is not used: with search.halving = 0 all trials are trained to "
                             "their end");
        }
    } else if (budget.limit < 1) {
        problems.error(search.halving_place, "search.halving",
                       Explanation{fmt::format("a rung is a share of {}, which is not set", limit),
                                   fmt::format("set {}, or search.halving = 0", limit)});
    } else if (search.min_budget && *search.min_budget > budget.limit) {
        problems.error(min_budget, "search.min_budget",
                       fmt::format("must be at most {} = {}", limit, budget.limit));
    } else if (search.min_budget && *search.min_budget < budget.first_validation) {
        problems.error(min_budget, "search.min_budget",
                       fmt::format("no trial is validated before episode {}: must be at least "
                                   "validation.partial_validation_interval",
                                   budget.first_validation));
    }
}

}  // namespace

TrialBudget trial_budget(const experiment::Experiment& experiment) {
    const auto& conditions = experiment.training.terminal_conditions;
    if (experiment.training.worker == experiment::Worker::kOffline) {
        return {.limit = conditions.epoch_limit};
    }
    return {.is_online = true,
            .limit = conditions.episode_limit,
            .first_validation = std::max<std::int64_t>(1, experiment.partial_validation_interval)};
}

void check_search(const host::Request& request, const host::Prepared& prepared,
                  Diagnostics& problems) {
    const experiment::Experiment& base = prepared.experiment;
    for (const SearchRange& range : base.search.space) {
        check_range(request, range, base, problems);
    }
    if (base.search.space.empty()) {
        return;
    }
    check_budget(base, problems);
    if (!base.validation) {
        problems.warning(
            SourceLocation(), "search",
            Explanation{"there is no [validation], so that the trials are judged by the samples "
                        "that they are trained on: what learns these by heart wins",
                        "add a [validation] with other samples"});
    }
}

}  // namespace ptp::ptprun
