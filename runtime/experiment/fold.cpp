#include "experiment/fold.hpp"

#include <fmt/core.h>

#include <string>
#include <utility>

namespace ptp::experiment {

namespace {

void take_data_of(const TaskEntry& training, const std::vector<std::string>& data_settings,
                  TaskEntry& task, Diagnostics& problems) {
    for (const std::string& name : data_settings) {
        const Value* wanted = training.settings.find(name);
        const Value* own = task.settings.find(name);
        const bool is_same = wanted == nullptr ? own == nullptr : own != nullptr && *own == *wanted;
        if (is_same) {
            continue;
        }
        problems.warning(
            own == nullptr ? task.place : own->place(), task.path + "." + name,
            "is replaced by the value in training.task, one of whose folds is held out");
        if (wanted == nullptr) {
            task.settings.erase(name);
        } else {
            task.settings.set(name, *wanted);
        }
    }
}

// Its loader settings stay; the samples are the training's.
Section validation_of(const Experiment& experiment, const std::vector<std::string>& data_settings,
                      Diagnostics& problems) {
    const Training& training = experiment.training;
    Section validation = experiment.validation.value_or(training);
    validation.name = experiment.validation ? experiment.validation->name : "validation";
    const std::string path = validation.name + ".task";
    const std::int64_t batch_size = validation.task.batch_size;
    if (!experiment.validation || validation.task.type != training.task.type) {
        if (experiment.validation) {
            problems.warning(validation.task.place, path,
                             "is replaced by training.task, one of whose folds is held out");
        }
        validation.task = training.task;
    }
    validation.task.batch_size = batch_size;
    validation.task.path = path;
    take_data_of(training.task, data_settings, validation.task, problems);
    validation.dataloader.shuffle = false;
    validation.dataloader.mode = "ordered";
    return validation;
}

// One that groups all samples by length does so with those outside of a fold.
Sampler with_folds(const Sampler& sampler) {
    const auto* all = sampler.get<LengthGroupedSampler>();
    return all != nullptr ? Sampler{KFoldLengthGroupedSampler{{}, *all}, sampler.place} : sampler;
}

Sampler held_out_by(const Sampler& training) {
    Sampler held_out{KFoldRandomSampler{*training.get<Folds>()}, training.place};
    if (const auto* grouped = training.get<KFoldLengthGroupedSampler>()) {
        held_out.options = *grouped;
        held_out.get<Lengths>()->shuffle = false;
    }
    held_out.get<Folds>()->part = "validation";
    return held_out;
}

}  // namespace

void make_fold(Experiment& experiment, const Fold& fold,
               const std::vector<std::string>& data_settings, Diagnostics& problems) {
    Training& training = experiment.training;
    Sampler sampler = with_folds(training.sampler.value_or(Sampler{KFoldRandomSampler()}));
    auto* folds = sampler.get<Folds>();
    if (folds == nullptr) {
        problems.error(sampler.place, "training.sampler",
                       fmt::format("a {} cannot hold out a fold; remove it, or use {}",
                                   sampler.type(), KFoldRandomSampler::kName));
        return;
    }
    folds->folds = fold.count;
    folds->fold = fold.number;
    folds->part = "training";
    training.sampler = sampler;
    training.dataloader.shuffle = false;
    Section validation = validation_of(experiment, data_settings, problems);
    validation.sampler = held_out_by(sampler);
    experiment.validation = std::move(validation);
}

}  // namespace ptp::experiment
