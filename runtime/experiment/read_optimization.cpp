#include "experiment/read_optimization.hpp"

#include "base/suggest.hpp"
#include "experiment/cycle_advice.hpp"
#include "experiment/optimization_fields.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace ptp::experiment {

namespace {

const Value& value_or_table(const Scope& scope, const char* name) {
    const Value* value = scope.table.find(name);
    return value == nullptr ? scope.table : *value;
}

void check_nesterov(const Scope& scope, const Optimizer& optimizer) {
    const bool is_possible = optimizer.momentum > 0 && optimizer.dampening == 0;
    if (optimizer.nesterov && !is_possible) {
        const Value* nesterov = scope.table.find("nesterov");
        const std::string message = "needs a momentum above 0 and no dampening";
        if (nesterov != nullptr) {
            scope.problems.error(*nesterov, scope.key("nesterov"), message);
        } else {
            scope.problems.error(scope.table.place(), scope.key("nesterov"), message);
        }
    }
}

// A table of tables, one for each name that the user chooses.
template <class Use>
void read_tables(const Scope& scope, Use use) {
    for (const Member& member : scope.table.members()) {
        RawTable table;
        read_fields(scope, {{.name = member.key, .into = &table}});
        if (table.table != nullptr) {
            use(member, scope.at(*table.table, member.key));
        }
    }
}

void read_groups(const Scope& scope, Optimization& optimization) {
    read_tables(scope, [&](const Member& member, const Scope& table) {
        ParameterGroup group{member.key, member.key_place, optimization.optimizer};
        read_all_fields(table, fields_of(group), group.options.type);
        check_nesterov(table, group.options);
        optimization.groups.push_back(std::move(group));
    });
}

void read_optimizer(const Scope& scope, Optimization& optimization) {
    Optimizer& optimizer = optimization.optimizer;
    optimizer = default_optimizer(read_type(scope, optimizer_types()));
    RawTable groups;
    std::vector<Field> fields = fields_of(optimizer);
    fields.push_back({.name = "groups", .into = &groups});
    read_all_fields(scope, fields, optimizer.type);
    check_nesterov(scope, optimizer);
    if (groups.table != nullptr) {
        read_groups(scope.at(*groups.table, "groups"), optimization);
    }
}

void read_milestones(const Scope& scope, const Value& value, Scheduler& scheduler) {
    const std::string key = scope.key("milestones");
    if (!value.is_list() || value.items().empty() ||
        !std::ranges::all_of(value.items(), &Value::is_integer)) {
        scope.problems.error(value, key, "must be a list of epochs, at least one");
        return;
    }
    std::int64_t last = 0;
    for (const Value& item : value.items()) {
        if (item.as_integer() <= last) {
            scope.problems.error(value, key, "must be at least 1 and increase");
            return;
        }
        last = item.as_integer();
        scheduler.milestones.push_back(last);
    }
}

void check_momentum(const Scope& scope, const Scheduler& scheduler, const Optimizer& optimizer) {
    if (scheduler.cycle_momentum && !has_momentum(optimizer.type)) {
        scope.problems.error(value_or_table(scope, "cycle_momentum"), scope.key("cycle_momentum"),
                             fmt::format("not with {}, which has no momentum", optimizer.type));
    } else if (scheduler.cycle_momentum && scheduler.base_momentum > scheduler.max_momentum) {
        scope.problems.error(
            value_or_table(scope, "base_momentum"), scope.key("base_momentum"),
            fmt::format("must be at most max_momentum, which is {}", scheduler.max_momentum));
    }
}

void check_scheduler(const Scope& scope, const Scheduler& scheduler, const Optimizer& optimizer) {
    if (scheduler.three_phase && scheduler.pct_start > 0.5) {
        scope.problems.error(
            value_or_table(scope, "pct_start"), scope.key("pct_start"),
            "must be at most 0.5 with three_phase, which falls as long as it rises");
    }
    if (scheduler.type == "OneCycleLR") {
        check_momentum(scope, scheduler, optimizer);
    }
    if (scheduler.threshold_mode == "rel" && scheduler.threshold >= 1) {
        scope.problems.error(value_or_table(scope, "threshold"), scope.key("threshold"),
                             "must be below 1 with threshold_mode \"rel\", or no loss is better");
    }
}

Scheduler read_scheduler(const Scope& scope, const Optimizer& optimizer) {
    Scheduler scheduler;
    scheduler.type = read_type(scope, scheduler_types());
    scheduler.cycle_momentum = has_momentum(optimizer.type);
    Raw milestones = nullptr;
    std::vector<Field> fields = fields_of(scheduler);
    fields.push_back({.name = "milestones",
                      .into = &milestones,
                      .only_for = {"MultiStepLR"},
                      .is_required = true});
    read_all_fields(scope, fields, scheduler.type);
    if (milestones != nullptr) {
        read_milestones(scope, *milestones, scheduler);
    }
    check_scheduler(scope, scheduler, optimizer);
    return scheduler;
}

// A number cuts by value, as it always has; a table says by what.
GradientClipping read_clipping(const Scope& training, const Value& value) {
    GradientClipping clipping;
    std::optional<double> by_value;
    if (!value.is_table()) {
        read_fields(training,
                    {{.name = "gradient_clipping", .into = &by_value, .range = "(0, inf)"}});
        clipping.limit = by_value.value_or(0);
        return clipping;
    }
    const Scope scope = training.at(value, "gradient_clipping");
    std::optional<double> by_norm;
    read_all_fields(scope, {{.name = "value", .into = &by_value, .range = "(0, inf)"},
                            {.name = "norm", .into = &by_norm, .range = "(0, inf)"}});
    if ((value.find("value") == nullptr) == (value.find("norm") == nullptr)) {
        training.problems.error(value, scope.path, "must have either a value or a norm");
    }
    clipping.is_by_norm = by_norm.has_value();
    clipping.limit = by_norm ? *by_norm : by_value.value_or(0);
    return clipping;
}

BadLoss read_bad_loss(const Scope& training, const Value& value) {
    if (value.is_table()) {
        const Scope scope = training.at(value, "on_bad_loss");
        std::string action;
        read_fields(scope, {{.name = "action",
                             .into = &action,
                             .choices = bad_loss_actions(),
                             .is_required = true}});
        BadLoss bad_loss = default_bad_loss(action);
        read_all_fields(scope, fields_of(bad_loss), action);
        return bad_loss;
    }
    std::string action;
    read_fields(training,
                {{.name = "on_bad_loss", .into = &action, .choices = bad_loss_actions()}});
    return default_bad_loss(action);
}

void read_loss_weights(const Scope& scope, Optimization& optimization) {
    for (const Member& member : scope.table.members()) {
        LossWeight weight{member.key, member.key_place};
        read_fields(scope, {{.name = member.key, .into = &weight.weight, .range = "[0, inf)"}});
        optimization.loss_weights.push_back(std::move(weight));
    }
}

// LBFGS evaluates each batch several times and compares the losses.
void check_lbfgs(const Scope& scope, const Optimization& optimization) {
    if (optimization.optimizer.type != "LBFGS") {
        return;
    }
    const auto refuse = [&](const char* key, bool is_used, const char* reason) {
        if (is_used) {
            scope.problems.error(*scope.table.find(key), scope.key(key), reason);
        }
    };
    refuse("accumulate", optimization.accumulate > 1,
           "must be 1 with LBFGS, which evaluates one batch several times");
    refuse("gradient_clipping", optimization.gradient_clipping.has_value(),
           "not with LBFGS, which needs the gradients of the loss that it sees");
    refuse("precision", optimization.precision != "float32",
           "must be \"float32\" with LBFGS, which compares losses that differ little");
    refuse("on_bad_loss", optimization.bad_loss.action == "skip",
           "not \"skip\" with LBFGS, which has changed the weights when it meets one");
}

// A schedule takes the place of what the optimizer or a group says. Values that are the defaults
// may stand in the record of a run.
void warn_of_unused_momentum(const Scope& scope, const Optimization& optimization) {
    if (!optimization.scheduler || optimization.scheduler->type != "OneCycleLR") {
        return;
    }
    const Scheduler& cycle = *optimization.scheduler;
    const auto warn = [&](const std::string& path, const Optimizer& options) {
        const Optimizer usual = default_optimizer(options.type);
        const bool is_used = !cycle.cycle_momentum || options.nesterov;
        const bool is_usual =
            options.momentum == usual.momentum && options.betas[0] == usual.betas[0];
        if (is_used || is_usual) {
            return;
        }
        const char* const key = options.momentum != usual.momentum ? "momentum" : "betas";
        const Value* value = scope.table.find_path(path + "." + key);
        scope.problems.warning(
            value == nullptr ? scope.table.place() : value->place(),
            fmt::format("{}.{}.{}", scope.path, path, key),
            fmt::format("OneCycleLR takes {} between {} and {} instead; cycle_momentum = false "
                        "keeps this",
                        key == std::string_view("betas") ? "the first of them" : "one",
                        cycle.base_momentum, cycle.max_momentum));
    };
    warn("optimizer", optimization.optimizer);
    for (const ParameterGroup& group : optimization.groups) {
        if (group.options.momentum != optimization.optimizer.momentum ||
            group.options.betas != optimization.optimizer.betas) {
            warn("optimizer.groups." + group.component, group.options);
        }
    }
}

}  // namespace

std::vector<Field> RawOptimization::fields(Optimization& optimization) {
    return {
        {.name = "optimizer", .into = &optimizer, .is_required = true},
        {.name = "scheduler", .into = &scheduler, .can_be_none = true},
        {.name = "warm_up", .into = &warm_up, .can_be_none = true},
        {.name = "gradient_clipping", .into = &gradient_clipping},
        {.name = "accumulate", .into = &optimization.accumulate, .range = "[1, inf)"},
        {.name = "precision", .into = &optimization.precision, .choices = precisions()},
        {.name = "weight_average", .into = &weight_average},
        {.name = "on_bad_loss", .into = &on_bad_loss},
        {.name = "loss_weights", .into = &loss_weights},
    };
}

void read_optimization(const Scope& training, const RawOptimization& raw,
                       Optimization& optimization) {
    if (raw.optimizer.table != nullptr) {
        read_optimizer(training.at(*raw.optimizer.table, "optimizer"), optimization);
    }
    if (raw.scheduler.table != nullptr) {
        optimization.scheduler =
            read_scheduler(training.at(*raw.scheduler.table, "scheduler"), optimization.optimizer);
    }
    if (raw.warm_up.table != nullptr) {
        read_all_fields(training.at(*raw.warm_up.table, "warm_up"),
                        fields_of(optimization.warm_up.emplace()));
        if (optimization.scheduler && optimization.scheduler->type == "OneCycleLR") {
            training.problems.error(
                *raw.warm_up.table, training.key("warm_up"),
                "not beside OneCycleLR, which begins with a warm-up of its own");
        }
    }
    if (raw.weight_average.table != nullptr) {
        read_all_fields(training.at(*raw.weight_average.table, "weight_average"),
                        fields_of(optimization.weight_average.emplace()));
    }
    if (raw.gradient_clipping != nullptr && !is_none(*raw.gradient_clipping)) {
        optimization.gradient_clipping = read_clipping(training, *raw.gradient_clipping);
    }
    if (raw.on_bad_loss != nullptr) {
        optimization.bad_loss = read_bad_loss(training, *raw.on_bad_loss);
    }
    if (raw.loss_weights.table != nullptr) {
        read_loss_weights(training.at(*raw.loss_weights.table, "loss_weights"), optimization);
    }
    check_lbfgs(training, optimization);
    warn_of_unused_momentum(training, optimization);
}

void check_optimization(const Scope& root, const Experiment& experiment) {
    std::vector<std::string> names;
    for (const ComponentEntry& component : experiment.pipeline.components) {
        names.push_back(component.name);
    }
    for (const ParameterGroup& group : experiment.training.groups) {
        const std::string key = "training.optimizer.groups." + group.component;
        const auto entry = std::ranges::find(experiment.pipeline.components, group.component,
                                             &ComponentEntry::name);
        if (entry == experiment.pipeline.components.end()) {
            root.problems.error(group.place, key,
                                "unknown component" + hint(group.component, names));
        } else if (!entry->is_enabled) {
            root.problems.error(group.place, key, "the component is disabled");
        } else if (entry->is_frozen) {
            root.problems.error(group.place, key,
                                "the component is frozen by its own `freeze`, so that nothing of "
                                "it is trained");
        }
    }
    if (const auto advice = cycle_advice(experiment.training)) {
        const std::string key = "training.scheduler.total_episodes";
        root.problems.warning(root.table.find_path(key)->place(), key, *advice);
    }
    const auto& scheduler = experiment.training.scheduler;
    if (scheduler && scheduler->type == "ReduceLROnPlateau" && !experiment.validation) {
        const std::string key = "training.scheduler.type";
        root.problems.error(*root.table.find_path(key), key,
                            "looks at the validation loss, but there is no [validation]");
    }
}

}  // namespace ptp::experiment
