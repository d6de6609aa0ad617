#include "experiment/experiment_fields.hpp"
#include "experiment/read_optimization.hpp"
#include "experiment/read_section.hpp"

#include <utility>

namespace ptp::experiment {

namespace {

// Returns the worker, which is read before the other keys, because their defaults depend on it;
// errors are reported later.
Worker worker_in(const Value& table) {
    const Value* worker = table.find("worker");
    const bool is_online =
        worker != nullptr && worker->is_string() && worker->as_string() == "online";
    return is_online ? Worker::kOnline : Worker::kOffline;
}

TerminalConditions default_conditions(Worker worker) {
    TerminalConditions conditions;
    if (worker == Worker::kOnline) {
        conditions.epoch_limit = -1;
        conditions.episode_limit = 100'000;
    }
    return conditions;
}

// Checks that a limit is at least 1; -1 for none is rejected if the worker needs the limit.
void check_limit(const Scope& scope, std::string_view name, std::int64_t limit, bool is_needed) {
    const Value* value = scope.table.find(name);
    if (value == nullptr || limit >= 1 || (limit == -1 && !is_needed)) {
        return;
    }
    if (limit == -1) {
        const bool is_epochs = name == "epoch_limit";
        scope.problems.error(
            *value, scope.key(name),
            Explanation{
                fmt::format("no limit is for the {} worker: the {} worker counts its "
                            "training in {}",
                            is_epochs ? "online" : "offline", is_epochs ? "offline" : "online",
                            is_epochs ? "epochs" : "episodes"),
                fmt::format("write a large number, such as {} = 1000000: other conditions, "
                            "such as wall_time, end the training before",
                            name)});
        return;
    }
    scope.problems.error(*value, scope.key(name),
                         is_needed ? "must be at least 1" : "must be -1 (no limit) or at least 1");
}

void read_conditions(const Scope& scope, Worker worker, TerminalConditions& conditions) {
    read_all_fields(scope, fields_of(conditions));
    check_limit(scope, "epoch_limit", conditions.epoch_limit, worker == Worker::kOffline);
    check_limit(scope, "episode_limit", conditions.episode_limit, worker == Worker::kOnline);
}

// Reads { statistic = "accuracy", better = "larger" }.
Judge read_judge(const Scope& scope) {
    Judge judge;
    std::string better;
    read_all_fields(scope, {{.name = "statistic",
                             .into = &judge.statistic,
                             .help = "its name in the records; of several validation sets "
                                     "with that of one: \"hard.accuracy\"",
                             .is_filled = true,
                             .is_required = true},
                            {.name = "better",
                             .into = &better,
                             .help = "which values are better",
                             .choices = {"smaller", "larger"},
                             .is_required = true}});
    judge.is_larger_better = better == "larger";
    const Value* statistic = scope.table.find("statistic");
    judge.place = (statistic != nullptr ? *statistic : scope.table).place();
    return judge;
}

}  // namespace

void read_training(const Scope& scope, Training& training) {
    RawOptimization optimization;
    RawTable conditions;
    RawTable judge;
    std::string worker = "offline";
    training.worker = worker_in(scope.table);
    training.terminal_conditions = default_conditions(training.worker);
    std::vector<Field> fields = optimization.fields(training);
    fields.insert(
        fields.begin(),
        {.name = "worker",
         .into = &worker,
         .help = "offline judges the model after epochs, online after episodes; so does --worker",
         .choices = {"offline", "online"}});
    fields.push_back(
        {.name = "terminal_conditions",
         .into = &conditions,
         .help = "stopping criteria; the training stops at the first one that is met"});
    fields.push_back({.name = "judge",
                      .into = &training.judging_set,
                      .help =
                          "the metric to monitor for the best checkpoint, early stopping and "
                          "ReduceLROnPlateau: the loss of the validation set with this name, or "
                          "a statistic",
                      .is_filled = true,
                      .can_be_none = true,
                      .expected = "the name of a validation set, or a table with statistic and "
                                  "better",
                      .or_into = {&judge}});
    read_section(scope, training, std::move(fields));
    read_optimization(scope, optimization, training);
    if (const Value* written = scope.table.find("judge")) {
        training.judging_place = written->place();
    }
    if (judge.table != nullptr) {
        training.judge = read_judge(scope.at(*judge.table, "judge"));
    }
    if (conditions.table != nullptr) {
        read_conditions(scope.at(*conditions.table, "terminal_conditions"), training.worker,
                        training.terminal_conditions);
    }
}

}  // namespace ptp::experiment
