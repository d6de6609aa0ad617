#include "experiment/experiment_fields.hpp"

namespace ptp::experiment {

const std::vector<std::string>& sampler_types() {
    static const std::vector<std::string> types = {"RandomSampler",
                                                   "SequentialSampler",
                                                   "SubsetRandomSampler",
                                                   "SubsetSequentialSampler",
                                                   "WeightedRandomSampler",
                                                   "kFoldRandomSampler",
                                                   "kFoldWeightedRandomSampler",
                                                   "ClassBalancedSampler",
                                                   "RandomSplitSampler",
                                                   "StratifiedSplitSampler"};
    return types;
}

std::vector<Field> fields_of(DataLoader& loader) {
    return {
        {.name = "num_workers", .into = &loader.num_workers, .range = "[0, 1024]"},
        {.name = "shuffle", .into = &loader.shuffle},
        {.name = "drop_last", .into = &loader.drop_last},
        {.name = "prefetch",
         .into = &loader.prefetch,
         .range = "[1, 1024]",
         .only_for = {"ordered"}},
        {.name = "mode", .into = &loader.mode, .choices = {"ordered", "reservoir"}},
        {.name = "reservoir_size",
         .into = &loader.reservoir_size,
         .range = "[1, 65536]",
         .only_for = {"reservoir"}},
        {.name = "reservoir_exchange",
         .into = &loader.reservoir_exchange,
         .range = "[1, 65536]",
         .only_for = {"reservoir"}},
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
        {.name = "divergence_factor", .into = &conditions.divergence_factor, .range = "[0, inf)"},
    };
}

std::vector<Field> fields_of(Checkpointing& checkpointing) {
    return {
        {.name = "every_episodes", .into = &checkpointing.every_episodes, .range = "[0, inf)"},
        {.name = "every", .into = &checkpointing.every},
        {.name = "keep", .into = &checkpointing.keep, .range = "[0, inf)"},
    };
}

}  // namespace ptp::experiment
