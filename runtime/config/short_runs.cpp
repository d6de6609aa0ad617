#include "config/short_runs.hpp"

namespace ptp::config {

void make_fast_dev_run(Experiment& experiment) {
    experiment.training.batch_limit = 1;
    experiment.training.terminal_conditions.epoch_limit = 1;
    experiment.training.terminal_conditions.episode_limit = 1;
    for (std::optional<Section>* section : {&experiment.validation, &experiment.test}) {
        if (*section) {
            (*section)->batch_limit = 1;
        }
    }
}

// Without a sampler and without shuffling samples come in their order.
void make_overfit(Experiment& experiment, std::int64_t batches) {
    Training& training = experiment.training;
    training.batch_limit = batches;
    training.dataloader.shuffle = false;
    training.sampler.reset();
    Section validation = training;
    validation.name = "validation";
    experiment.validation = std::move(validation);
    experiment.test.reset();
}

}  // namespace ptp::config
