#include "experiment/optimization_fields.hpp"

namespace ptp::experiment {

const std::vector<std::string>& optimizer_types() {
    static const std::vector<std::string> types = {"SGD",     "Adam",    "AdamW",
                                                   "RMSprop", "Adagrad", "LBFGS"};
    return types;
}

const std::vector<std::string>& scheduler_types() {
    static const std::vector<std::string> types = {"StepLR",        "MultiStepLR",
                                                   "ExponentialLR", "CosineAnnealingWarmRestarts",
                                                   "OneCycleLR",    "ReduceLROnPlateau"};
    return types;
}

const std::vector<std::string>& precisions() {
    static const std::vector<std::string> names = {"float32", "bf16"};
    return names;
}

const std::vector<std::string>& bad_loss_actions() {
    static const std::vector<std::string> actions = {"stop", "skip", "rollback"};
    return actions;
}

bool has_momentum(std::string_view type) {
    return type != "Adagrad" && type != "LBFGS";
}

Optimizer default_optimizer(std::string_view type) {
    Optimizer optimizer;
    optimizer.type = type;
    optimizer.lr = type == "LBFGS" ? 1.0 : type == "RMSprop" || type == "Adagrad" ? 1e-2 : 1e-3;
    optimizer.weight_decay = type == "AdamW" ? 1e-2 : 0.0;
    optimizer.eps = type == "Adagrad" ? 1e-10 : 1e-8;
    return optimizer;
}

BadLoss default_bad_loss(std::string_view action) {
    BadLoss bad_loss;
    bad_loss.action = action;
    bad_loss.limit = action == "rollback" ? 3 : 10;
    bad_loss.looks_at_gradients = true;
    return bad_loss;
}

std::vector<Field> fields_of(Optimizer& optimizer) {
    const bool needs_lr = optimizer.type == "SGD";  // torch has no default for it
    const std::vector<std::string> adams = {"Adam", "AdamW"};
    const std::vector<std::string> lbfgs = {"LBFGS"};
    return {
        {.name = "type", .into = &optimizer.type, .choices = optimizer_types()},
        {.name = "lr", .into = &optimizer.lr, .range = "[0, inf)", .is_required = needs_lr},
        {.name = "weight_decay",
         .into = &optimizer.weight_decay,
         .range = "[0, inf)",
         .only_for = {"SGD", "Adam", "AdamW", "RMSprop", "Adagrad"}},
        {.name = "momentum",
         .into = &optimizer.momentum,
         .range = "[0, inf)",
         .only_for = {"SGD", "RMSprop"}},
        {.name = "dampening",
         .into = &optimizer.dampening,
         .range = "(-inf, inf)",
         .only_for = {"SGD"}},
        {.name = "nesterov", .into = &optimizer.nesterov, .only_for = {"SGD"}},
        {.name = "betas", .into = &optimizer.betas, .range = "[0, 1)", .only_for = adams},
        {.name = "eps",
         .into = &optimizer.eps,
         .range = "[0, inf)",
         .only_for = {"Adam", "AdamW", "RMSprop", "Adagrad"}},
        {.name = "amsgrad", .into = &optimizer.amsgrad, .only_for = adams},
        {.name = "alpha", .into = &optimizer.alpha, .range = "[0, inf)", .only_for = {"RMSprop"}},
        {.name = "centered", .into = &optimizer.centered, .only_for = {"RMSprop"}},
        {.name = "lr_decay",
         .into = &optimizer.lr_decay,
         .range = "[0, inf)",
         .only_for = {"Adagrad"}},
        {.name = "initial_accumulator_value",
         .into = &optimizer.initial_accumulator_value,
         .range = "[0, inf)",
         .only_for = {"Adagrad"}},
        {.name = "max_iter", .into = &optimizer.max_iter, .range = "[1, inf)", .only_for = lbfgs},
        {.name = "max_eval", .into = &optimizer.max_eval, .range = "[1, inf)", .only_for = lbfgs},
        {.name = "tolerance_grad",
         .into = &optimizer.tolerance_grad,
         .range = "[0, inf)",
         .only_for = lbfgs},
        {.name = "tolerance_change",
         .into = &optimizer.tolerance_change,
         .range = "[0, inf)",
         .only_for = lbfgs},
        {.name = "history_size",
         .into = &optimizer.history_size,
         .range = "[1, inf)",
         .only_for = lbfgs},
        {.name = "line_search_fn",
         .into = &optimizer.line_search_fn,
         .choices = {"none", "strong_wolfe"},
         .only_for = lbfgs},
    };
}

// LBFGS has one set of options for all parameters.
std::vector<Field> fields_of(ParameterGroup& group) {
    std::vector<Field> fields;
    for (Field& field : fields_of(group.options)) {
        if (field.name == "type" || field.name == "initial_accumulator_value") {
            continue;
        }
        if (field.name == "lr") {
            field.only_for = {"SGD", "Adam", "AdamW", "RMSprop", "Adagrad"};
            field.is_required = false;
        }
        if (field.only_for != std::vector<std::string>{"LBFGS"}) {
            fields.push_back(std::move(field));
        }
    }
    fields.push_back({.name = "frozen", .into = &group.is_frozen});
    return fields;
}

std::vector<Field> fields_of(Scheduler& scheduler) {
    const std::vector<std::string> cosine = {"CosineAnnealingWarmRestarts"};
    const std::vector<std::string> cycle = {"OneCycleLR"};
    const std::vector<std::string> plateau = {"ReduceLROnPlateau"};
    const bool needs_gamma = scheduler.type == "ExponentialLR";
    return {
        {.name = "type", .into = &scheduler.type, .choices = scheduler_types()},
        {.name = "gamma",
         .into = &scheduler.gamma,
         .range = "(0, inf)",
         .only_for = {"StepLR", "MultiStepLR", "ExponentialLR"},
         .is_required = needs_gamma},
        {.name = "step_size",
         .into = &scheduler.step_size,
         .range = "[1, inf)",
         .only_for = {"StepLR"},
         .is_required = true},
        {.name = "T_0",
         .into = &scheduler.first_period,
         .range = "[1, inf)",
         .only_for = cosine,
         .is_required = true},
        {.name = "T_mult",
         .into = &scheduler.period_factor,
         .range = "[1, inf)",
         .only_for = cosine},
        {.name = "eta_min", .into = &scheduler.eta_min, .range = "[0, inf)", .only_for = cosine},
        {.name = "total_episodes",
         .into = &scheduler.total_episodes,
         .range = "[1, inf)",
         .only_for = cycle},
        {.name = "pct_start", .into = &scheduler.pct_start, .range = "(0, 1)", .only_for = cycle},
        {.name = "anneal_strategy",
         .into = &scheduler.anneal_strategy,
         .choices = {"cos", "linear"},
         .only_for = cycle},
        {.name = "div_factor",
         .into = &scheduler.div_factor,
         .range = "[1, inf)",
         .only_for = cycle},
        {.name = "final_div_factor",
         .into = &scheduler.final_div_factor,
         .range = "[1, inf)",
         .only_for = cycle},
        {.name = "three_phase", .into = &scheduler.three_phase, .only_for = cycle},
        {.name = "cycle_momentum", .into = &scheduler.cycle_momentum, .only_for = cycle},
        {.name = "base_momentum",
         .into = &scheduler.base_momentum,
         .range = "[0, 1)",
         .only_for = cycle},
        {.name = "max_momentum",
         .into = &scheduler.max_momentum,
         .range = "[0, 1)",
         .only_for = cycle},
        {.name = "factor", .into = &scheduler.factor, .range = "(0, 1)", .only_for = plateau},
        {.name = "patience", .into = &scheduler.patience, .range = "[0, inf)", .only_for = plateau},
        {.name = "threshold",
         .into = &scheduler.threshold,
         .range = "[0, inf)",
         .only_for = plateau},
        {.name = "threshold_mode",
         .into = &scheduler.threshold_mode,
         .choices = {"rel", "abs"},
         .only_for = plateau},
        {.name = "cooldown", .into = &scheduler.cooldown, .range = "[0, inf)", .only_for = plateau},
        {.name = "min_lr", .into = &scheduler.min_lr, .range = "[0, inf)", .only_for = plateau},
    };
}

std::vector<Field> fields_of(WarmUp& warm_up) {
    return {
        {.name = "episodes", .into = &warm_up.episodes, .range = "[1, inf)", .is_required = true},
        {.name = "start_factor", .into = &warm_up.start_factor, .range = "(0, 1]"},
    };
}

std::vector<Field> fields_of(WeightAverage& average) {
    return {
        {.name = "decay", .into = &average.decay, .range = "[0, 1)", .is_required = true},
        {.name = "start_episode", .into = &average.start_episode, .range = "[0, inf)"},
    };
}

std::vector<Field> fields_of(BadLoss& bad_loss) {
    return {
        {.name = "action", .into = &bad_loss.action, .choices = bad_loss_actions()},
        {.name = "limit",
         .into = &bad_loss.limit,
         .range = "[1, inf)",
         .only_for = {"skip", "rollback"}},
        {.name = "lr_factor",
         .into = &bad_loss.lr_factor,
         .range = "(0, 1]",
         .only_for = {"rollback"}},
    };
}

}  // namespace ptp::experiment
