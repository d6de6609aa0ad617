#include "config/experiment_fields.hpp"

namespace ptp::config {

const std::vector<std::string>& optimizer_types() {
    static const std::vector<std::string> types = {"SGD", "Adam", "AdamW", "RMSprop"};
    return types;
}

const std::vector<std::string>& sampler_types() {
    static const std::vector<std::string> types = {"RandomSampler",
                                                   "SequentialSampler",
                                                   "SubsetRandomSampler",
                                                   "SubsetSequentialSampler",
                                                   "WeightedRandomSampler",
                                                   "kFoldRandomSampler",
                                                   "kFoldWeightedRandomSampler",
                                                   "ClassBalancedSampler"};
    return types;
}

Optimizer default_optimizer(std::string_view type) {
    Optimizer optimizer;
    optimizer.type = type;
    optimizer.lr = type == "RMSprop" ? 1e-2 : 1e-3;
    optimizer.weight_decay = type == "AdamW" ? 1e-2 : 0.0;
    return optimizer;
}

std::vector<Field> fields_of(Optimizer& optimizer) {
    const bool needs_lr = optimizer.type == "SGD";  // torch has no default for it
    return {
        {.name = "type", .into = &optimizer.type, .choices = optimizer_types()},
        {.name = "lr", .into = &optimizer.lr, .range = "[0, inf)", .is_required = needs_lr},
        {.name = "weight_decay", .into = &optimizer.weight_decay, .range = "[0, inf)"},
        {.name = "momentum",
         .into = &optimizer.momentum,
         .range = "[0, inf)",
         .only_for = {"SGD", "RMSprop"}},
        {.name = "dampening",
         .into = &optimizer.dampening,
         .range = "(-inf, inf)",
         .only_for = {"SGD"}},
        {.name = "nesterov", .into = &optimizer.nesterov, .only_for = {"SGD"}},
        {.name = "betas",
         .into = &optimizer.betas,
         .range = "[0, 1)",
         .only_for = {"Adam", "AdamW"}},
        {.name = "eps",
         .into = &optimizer.eps,
         .range = "[0, inf)",
         .only_for = {"Adam", "AdamW", "RMSprop"}},
        {.name = "amsgrad", .into = &optimizer.amsgrad, .only_for = {"Adam", "AdamW"}},
        {.name = "alpha", .into = &optimizer.alpha, .range = "[0, inf)", .only_for = {"RMSprop"}},
        {.name = "centered", .into = &optimizer.centered, .only_for = {"RMSprop"}},
    };
}

std::vector<Field> fields_of(DataLoader& loader) {
    return {
        {.name = "num_workers", .into = &loader.num_workers, .range = "[0, 1024]"},
        {.name = "shuffle", .into = &loader.shuffle},
        {.name = "drop_last", .into = &loader.drop_last},
        {.name = "prefetch", .into = &loader.prefetch, .range = "[1, 1024]"},
    };
}

std::vector<Field> fields_of(TerminalConditions& conditions) {
    return {
        {.name = "loss_stop_threshold",
         .into = &conditions.loss_stop_threshold,
         .range = "(-inf, inf)"},
        {.name = "early_stop_validations", .into = &conditions.early_stop_validations},
        {.name = "epoch_limit", .into = &conditions.epoch_limit, .range = "[-1, inf)"},
        {.name = "episode_limit", .into = &conditions.episode_limit, .range = "[-1, inf)"},
        {.name = "wall_time", .into = &conditions.wall_time},
    };
}

std::vector<Field> fields_of(Checkpointing& checkpointing) {
    return {
        {.name = "every_episodes", .into = &checkpointing.every_episodes, .range = "[0, inf)"},
        {.name = "every", .into = &checkpointing.every},
        {.name = "keep", .into = &checkpointing.keep, .range = "[0, inf)"},
    };
}

}  // namespace ptp::config
