#include "config/fold.hpp"

#include <string>
#include <utility>

namespace ptp::config {

namespace {

Sampler sampler_of(const Training& training, const Fold& fold) {
    Sampler sampler =
        training.sampler.value_or(Sampler{.type = "kFoldRandomSampler", .indices = {}});
    sampler.folds = fold.count;
    sampler.fold = fold.number;
    sampler.part = "training";
    return sampler;
}

bool is_same_task(const TaskEntry& left, const TaskEntry& right) {
    return left.type == right.type && left.settings == right.settings;
}

// What it says of loaders stays; the samples are those of the training.
Section validation_of(const Experiment& experiment, Diagnostics& problems) {
    const Training& training = experiment.training;
    Section validation = experiment.validation.value_or(training);
    if (!is_same_task(validation.task, training.task)) {
        problems.warning(validation.task.place, "validation.task",
                         "is replaced by training.task, of which a fold is held out");
    }
    const std::int64_t batch_size = validation.task.batch_size;
    validation.task = training.task;
    validation.task.batch_size = batch_size;
    validation.task.path = "validation.task";
    validation.name = "validation";
    validation.dataloader.shuffle = false;
    validation.dataloader.mode = "ordered";
    return validation;
}

}  // namespace

void make_fold(Experiment& experiment, const Fold& fold, Diagnostics& problems) {
    Training& training = experiment.training;
    if (training.sampler && !training.sampler->type.starts_with("kFold")) {
        problems.error(training.sampler->place, "training.sampler",
                       "a " + training.sampler->type +
                           " cannot hold out a fold; remove it, or use kFoldRandomSampler");
        return;
    }
    training.sampler = sampler_of(training, fold);
    training.dataloader.shuffle = false;
    Section validation = validation_of(experiment, problems);
    validation.sampler = training.sampler;
    validation.sampler->type = "kFoldRandomSampler";
    validation.sampler->part = "validation";
    validation.sampler->weights.reset();
    validation.sampler->samples.reset();
    experiment.validation = std::move(validation);
}

}  // namespace ptp::config
