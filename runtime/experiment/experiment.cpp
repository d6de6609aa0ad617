// Lists and finds the sections of an experiment, and shortens it for quick checks.

#include "experiment/experiment.hpp"

#include <algorithm>

namespace ptp::experiment {

namespace {

// Returns the sections of an experiment, which are const if the experiment is.
template <class OneSection, class OneExperiment>
std::vector<OneSection*> sections_of(OneExperiment& experiment, bool with_processed) {
    std::vector<OneSection*> sections = {&experiment.training};
    if (experiment.validation) {
        sections.push_back(&*experiment.validation);
    }
    for (OneSection& section : experiment.other_validations) {
        sections.push_back(&section);
    }
    if (experiment.test) {
        sections.push_back(&*experiment.test);
    }
    for (std::size_t i = 0; with_processed && i < experiment.processed.size(); ++i) {
        sections.push_back(&experiment.processed[i]);
    }
    return sections;
}

}  // namespace

Experiment::Experiment() = default;
Experiment::Experiment(const Experiment& other) = default;
Experiment::Experiment(Experiment&& other) noexcept = default;
Experiment& Experiment::operator=(const Experiment& other) = default;
Experiment& Experiment::operator=(Experiment&& other) noexcept = default;
Experiment::~Experiment() = default;

std::string_view role_of(std::string_view section) {
    const std::string_view first = section.substr(0, section.find('.'));
    return first == "training" || first == "validation" ? first : "test";
}

std::vector<const Section*> run_sections(const Experiment& experiment) {
    return sections_of<const Section>(experiment, false);
}

std::vector<Section*> run_sections(Experiment& experiment) {
    return sections_of<Section>(experiment, false);
}

std::vector<const Section*> all_sections(const Experiment& experiment) {
    return sections_of<const Section>(experiment, true);
}

std::vector<Section*> all_sections(Experiment& experiment) {
    return sections_of<Section>(experiment, true);
}

const Section* find_section(const Experiment& experiment, std::string_view name) {
    for (const Section* section : all_sections(experiment)) {
        if (section->name == name) {
            return section;
        }
    }
    return nullptr;
}

std::string_view renamed(const std::vector<Renaming>& map, std::string_view name) {
    const auto found = std::ranges::find(map, name, &Renaming::from);
    return found == map.end() ? name : std::string_view(found->to);
}

bool Swapping::allows(std::string_view name) const {
    return !components || std::ranges::find(*components, name) != components->end();
}

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
