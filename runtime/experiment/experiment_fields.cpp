#include "experiment/experiment_fields.hpp"

namespace ptp::experiment {

Kinds kinds_of(DataLoader& loader) {
    return {
        .list =
            {{.name = "ordered",
              .help = "batches come in the order of the samples",
              .fields =
                  {{.name = "prefetch",
                    .into = &loader.prefetch,
                    .help =
                        "number of batches loaded ahead (small batches: up to 32, at most 1 MB in all)",
                    .range = "[1, 1024]"}}},
             {.name = "reservoir",
              .help = "training continues while loaders refill",
              .fields = {{.name = "reservoir_size",
                          .into = &loader.reservoir_size,
                          .help = "batches that the reservoir holds",
                          .range = "[1, 65536]"},
                         {.name = "reservoir_exchange",
                          .into = &loader.reservoir_exchange,
                          .help = "batches replaced between two rounds, at most",
                          .range = "[1, 65536]"}}}},
        .common = {{.name = "num_workers",
                    .into = &loader.num_workers,
                    .help = "threads that load; 0 loads in the thread that trains",
                    .range = "[0, 1024]"},
                   {.name = "shuffle",
                    .into = &loader.shuffle,
                    .help = "a new order in every epoch; by default in training without a sampler"},
                   {.name = "drop_last",
                    .into = &loader.drop_last,
                    .help = "leaves out a last batch that is not full"}},
        .key = "mode",
        .help = "ordered, or reservoir: training continues while loaders refill",
        .default_name = "ordered"};
}

std::vector<Field> fields_of(TerminalConditions& conditions) {
    return {
        {.name = "loss_stop_threshold",
         .into = &conditions.loss_stop_threshold,
         .help = "stops when the validation loss is below this; without [validation] the training "
                 "loss, and only if it is set"},
        {.name = "early_stop_validations",
         .into = &conditions.early_stop_validations,
         .help = "patience: stops after this many validations without improvement; 0: no early "
                 "stopping"},
        {.name = "epoch_limit",
         .into = &conditions.epoch_limit,
         .help = "epochs; -1: no limit, only with the online worker, where it is the default",
         .range = "[-1, inf)"},
        {.name = "episode_limit",
         .into = &conditions.episode_limit,
         .help =
             "episodes; -1: no limit, only with the offline worker, where it is the default; 100000 by "
             "default with the online worker",
         .range = "[-1, inf)"},
        {.name = "wall_time",
         .into = &conditions.wall_time,
         .help = "time, all parts of an interrupted run together, without pauses"},
        {.name = "divergence_factor",
         .into = &conditions.divergence_factor,
         .help = "a loss above this multiple of the first one has diverged; 0: none has",
         .range = "[0, inf)"},
    };
}

std::vector<Field> fields_of(Checkpointing& checkpointing) {
    return {
        {.name = "every_epochs",
         .into = &checkpointing.every_epochs,
         .help = "epochs from one to the next, 0: none; by default an epoch ends with a checkpoint "
                 "if the last one is at least 30 s old",
         .range = "[0, inf)"},
        {.name = "every_episodes",
         .into = &checkpointing.every_episodes,
         .help = "episodes from one to the next, in addition to every_epochs; 0: none",
         .range = "[0, inf)"},
        {.name = "every",
         .into = &checkpointing.every,
         .help = "time from one to the next, in addition to every_epochs"},
        {.name = "keep",
         .into = &checkpointing.keep,
         .help = "how many are kept besides last and best",
         .range = "[0, inf)"},
    };
}

}  // namespace ptp::experiment
