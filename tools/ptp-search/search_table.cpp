// The table and the best trial at the end of a search.

#include "base/ranges.hpp"
#include "ptp-search/search.hpp"

#include "base/error.hpp"
#include "base/exit_code.hpp"
#include "base/json.hpp"
#include "base/output_file.hpp"
#include "base/text.hpp"
#include "ptp-runs/runs_view.hpp"
#include "ptp-runs/table.hpp"
#include "run/format.hpp"
#include "run/measurement.hpp"
#include "run/process.hpp"
#include "run/read_run.hpp"
#include "run/run.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace ptp::search {

namespace fs = std::filesystem;

using namespace ptprun;

namespace {

constexpr std::int64_t kResultFormat = 1;

Json json_or_null(const std::optional<double>& number) {
    return number ? Json(*number) : Json();
}

std::optional<double> number_in(const Json& json, const char* key) {
    const auto found = json.find(key);
    return found != json.end() && found->is_number() ? std::optional(found->get<double>())
                                                     : std::nullopt;
}

constexpr const char* kLoss = "loss";

std::string command_of(const PlannedRuns& trials, std::size_t trial, const SweepOptions& options) {
    std::string command = "ptprun " + shell_word(trials.file());
    for (const std::string& override : trials.point(trial).overrides) {
        command += " --set " + shell_word(override);
    }
    for (const std::string& word : options.passed_on) {
        command += " " + shell_word(word);
    }
    return command;
}

// The furthest first, and in a rung the best: each continued because it was better than those
// before its end.
std::vector<std::size_t> ranked(const std::vector<TrialOutcome>& outcomes, const Metric& metric) {
    std::vector<TrialScore> scores;
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
        scores.push_back(outcomes[i].result.score(i, metric.is_larger_better));
    }
    sort_scores(scores);
    std::vector<std::size_t> order = transformed(scores, &TrialScore::trial);
    std::ranges::stable_sort(order, [&](std::size_t left, std::size_t right) {
        const auto rank = [&](std::size_t trial) {
            return outcomes[trial].result.has_failed()
                       ? -1
                       : static_cast<std::ptrdiff_t>(outcomes[trial].rung);
        };
        return rank(left) > rank(right);
    });
    return order;
}

// REQUIRES: one has failed.
int code_of_first_failure(const std::vector<TrialOutcome>& outcomes) {
    return std::ranges::find_if(outcomes,
                                [](const TrialOutcome& one) { return one.result.has_failed(); })
        ->result.exit_code;
}

std::string state_text(const TrialResult& result) {
    return result.has_failed()         ? fmt::format("failed with {}", result.exit_code)
           : result.state == "stopped" ? "halved"
                                       : result.state;
}

// Returns a value measured where the loss was the best, besides the metric.
std::optional<double> measured_in(const std::optional<run::Measurement>& best,
                                  const std::string& name) {
    if (!best || name == kLoss) {
        return best ? best->loss : std::nullopt;
    }
    const auto& all = best->statistics;
    const auto found =
        std::ranges::find_if(all, [&](const auto& one) { return one.first == name; });
    return found == all.end() ? std::nullopt : found->second;
}

// The loss, or the first statistic where the metric is the loss, of the trials as they are now.
void add_other_number(runs::Table& table, const PlannedRuns& trials, const std::string& metric,
                      const std::vector<std::size_t>& order,
                      const std::vector<TrialOutcome>& outcomes) {
    std::string name = metric == kLoss ? "" : kLoss;
    std::vector<std::optional<run::Measurement>> best;
    for (const std::size_t trial : order) {
        const std::size_t trained = outcomes[trial].equal_to.value_or(trial);
        best.push_back(run::read_run(trials.folder(trained), run::this_machine()).best);
        if (name.empty() && best.back()) {
            const auto& all = best.back()->statistics;
            const auto other =
                std::ranges::find_if(all, [](const auto& one) { return one.first != kLoss; });
            name = other == all.end() ? "" : other->first;
        }
    }
    if (name.empty()) {
        return;
    }
    runs::TableColumn column{.title = name, .is_right = true};
    for (const auto& one : best) {
        const std::optional<double> number = measured_in(one, name);
        column.cells.push_back(number ? run::number_text(number) : "");
    }
    table.insert(table.begin() + 2, std::move(column));
}

runs::Table table_of(const PlannedRuns& trials, const SearchPlan& plan,
                     const std::vector<TrialOutcome>& outcomes,
                     const std::vector<std::size_t>& order) {
    runs::Table table = {{.title = "run"},
                         {.title = plan.metric.name, .is_right = true},
                         {.title = plan.is_online ? "episodes" : "epochs", .is_right = true},
                         {.title = "state"}};
    const bool has_failure = std::ranges::any_of(
        outcomes, [](const TrialOutcome& one) { return one.result.has_failed(); });
    if (has_failure) {
        table.push_back({.title = "error"});
    }
    for (const std::size_t trial : order) {
        const TrialResult& result = outcomes[trial].result;
        table[0].cells.push_back(trials.name(trial));
        table[1].cells.push_back(
            result.has_failed() && !result.value ? "" : run::number_text(result.value));
        table[2].cells.push_back(fmt::format("{}", plan.is_online ? result.episode : result.epoch));
        const auto& equal = outcomes[trial].equal_to;
        table[3].cells.push_back(equal ? "as " + trials.name(*equal) : state_text(result));
        if (has_failure) {
            table[4].cells.push_back(result.error);
        }
    }
    add_other_number(table, trials, plan.metric.statistic, order, outcomes);
    return table;
}

}  // namespace

TrialScore TrialResult::score(std::size_t trial, bool is_larger_better) const {
    TrialScore score{trial, has_failed(), value};
    if (score.value && is_larger_better) {
        score.value = -*score.value;
    }
    return score;
}

std::string rung_name(const std::string& trial, std::size_t rung) {
    return fmt::format("{}.rung{}", trial, rung + 1);
}

std::optional<TrialResult> read_result(const fs::path& file) {
    if (!fs::exists(file)) {
        return std::nullopt;
    }
    const std::optional<Json> read = parsed_json(read_text(file));
    try {
        const Json json = read.value_or(Json());
        run::check_format(file, json.at("format").get<std::int64_t>(), kResultFormat);
        return TrialResult{.state = json.at("state").get<std::string>(),
                           .exit_code = json.at("exit_code").get<int>(),
                           .error = json.at("error").get<std::string>(),
                           .episode = json.at("episode").get<std::int64_t>(),
                           .epoch = json.at("epoch").get<std::int64_t>(),
                           .value = number_in(json, "value"),
                           .seconds = number_in(json, "seconds")};
    } catch (const nlohmann::json::exception&) {
        throw RunError(kDataError, fmt::format("{}: is not the result of a trial", file.string()));
    }
}

bool note_killed(const fs::path& file) {
    return create_whole(file, text_of({{"format", kResultFormat}}) + "\n");
}

void write_result(const fs::path& file, const TrialResult& result) {
    const Json json = {{"format", kResultFormat},
                       {"state", result.state},
                       {"exit_code", result.exit_code},
                       {"error", result.error},
                       {"episode", result.episode},
                       {"epoch", result.epoch},
                       {"value", json_or_null(result.value)},
                       {"seconds", json_or_null(result.seconds)}};
    create_whole(file, text_of(json, 2) + "\n");
}

std::string budget_text(std::int64_t budget, bool is_online) {
    return fmt::format("{} {}{}", budget, is_online ? "episode" : "epoch", budget == 1 ? "" : "s");
}

int print_search(const PlannedRuns& trials, const SearchPlan& plan, const SweepOptions& options,
                 const std::vector<TrialOutcome>& outcomes) {
    const std::vector<std::size_t> order = ranked(outcomes, plan.metric);
    if (!options.is_quiet) {
        runs::print_table(table_of(trials, plan, outcomes, order));
    }
    const std::size_t best = order.front();
    const TrialOutcome& outcome = outcomes[best];
    if (outcome.result.has_failed()) {
        say_failure("all trials have failed");
        return code_of_first_failure(outcomes);
    }
    if (!outcome.result.value) {
        say_failure(
            fmt::format("none is the best: {} is not a number in any of them", plan.metric.name));
        return kTrainingError;
    }
    const bool is_winner = outcome.rung + 1 == plan.rungs.size();
    say_progress(
        options,
        fmt::format("{}: {}, {} {}\nto train it again: {}",
                    is_winner ? "the best"
                              : "all trials that continued have failed; the best of the others",
                    trials.folder(best).string(), plan.metric.name,
                    run::number_text(outcome.result.value), command_of(trials, best, options)));
    return is_winner ? static_cast<int>(kDone) : code_of_first_failure(outcomes);
}

}  // namespace ptp::search
