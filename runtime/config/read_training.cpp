#include "config/experiment_fields.hpp"
#include "config/read_section.hpp"

namespace ptp::config {

namespace {

Optimizer read_optimizer(const Scope& scope) {
    Optimizer optimizer = default_optimizer(read_type(scope, optimizer_types()));
    read_all_fields(scope, fields_of(optimizer), optimizer.type);
    const bool is_possible = optimizer.momentum > 0 && optimizer.dampening == 0;
    if (optimizer.nesterov && !is_possible) {
        scope.problems.error(*scope.table.find("nesterov"), scope.key("nesterov"),
                             "needs a momentum above 0 and no dampening");
    }
    return optimizer;
}

void read_conditions(const Scope& scope, TerminalConditions& conditions) {
    read_all_fields(scope, fields_of(conditions));
    if (conditions.episode_limit == 0) {
        scope.problems.error(*scope.table.find("episode_limit"), scope.key("episode_limit"),
                             "must be -1 (no limit) or at least 1");
    }
}

}  // namespace

void read_training(const Scope& scope, Training& training) {
    RawTable optimizer;
    RawTable conditions;
    read_section(
        scope, training,
        {{.name = "optimizer", .into = &optimizer, .is_required = true},
         {.name = "gradient_clipping", .into = &training.gradient_clipping, .range = "(0, inf)"},
         {.name = "terminal_conditions", .into = &conditions}});
    if (optimizer.table != nullptr) {
        training.optimizer = read_optimizer(scope.at(*optimizer.table, "optimizer"));
    }
    if (conditions.table != nullptr) {
        read_conditions(scope.at(*conditions.table, "terminal_conditions"),
                        training.terminal_conditions);
    }
}

}  // namespace ptp::config
