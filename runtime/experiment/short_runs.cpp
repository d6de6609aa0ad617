#include "experiment/short_runs.hpp"

namespace ptp::experiment {

void make_fast_dev_run(Experiment& experiment) {
    experiment.training.terminal_conditions.epoch_limit = 1;
    experiment.training.terminal_conditions.episode_limit = 1;
    for (Section* section : run_sections(experiment)) {
        section->batch_limit = 1;
    }
}

// Removes sampler, reservoir and shuffling, so that samples come in order.
void make_overfit(Experiment& experiment, std::int64_t batches, Diagnostics& problems) {
    Training& training = experiment.training;
    const auto put_aside = [&](const char* key) {
        problems.warning(training.place, key, "is ignored: --overfit takes samples in order");
    };
    if (training.dataloader.is_reservoir()) {
        put_aside("training.dataloader.mode");
        training.dataloader.mode = "ordered";
    }
    if (training.sampler) {
        put_aside("training.sampler");
    }
    training.batch_limit = batches;
    training.dataloader.shuffle = false;
    training.sampler.reset();
    Section validation = static_cast<const Section&>(training);
    validation.name = "validation";
    validation.task.path = "validation.task";
    if (!experiment.validation && !training.terminal_conditions.loss_stop_threshold) {
        training.terminal_conditions.loss_stop_threshold = kDefaultLossStopThreshold;
    }
    experiment.validation = std::move(validation);
    experiment.other_validations.clear();
    training.judging_set.clear();
    experiment.test.reset();
}

}  // namespace ptp::experiment
