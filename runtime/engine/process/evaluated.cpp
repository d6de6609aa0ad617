#include "engine/process/evaluated.hpp"

#include "base/error.hpp"
#include "engine/checkpoint/checkpoint.hpp"
#include "engine/checkpoint/load.hpp"
#include "run/hashes.hpp"

#include <fmt/core.h>

#include <memory>

namespace ptp::engine {

namespace {

void refuse_unloaded(const experiment::Experiment& experiment, const Components& components) {
    std::string unloaded;
    for (const experiment::ComponentEntry& entry : experiment.pipeline.components) {
        for (const std::shared_ptr<Instance>& node : components.nodes) {
            if (node->node().name == entry.name && !entry.load && !experiment.pipeline.load &&
                !node->tensors().empty()) {
                unloaded += fmt::format("{}{}", unloaded.empty() ? "" : ", ", node->title());
            }
        }
    }
    if (!unloaded.empty()) {
        throw RunError(kConfigurationError,
                       fmt::format("nothing says which weights these have: {}; give the folder of "
                                   "a run instead of an experiment, --checkpoint, or 'load' in "
                                   "[pipeline]",
                                   unloaded));
    }
}

}  // namespace

const experiment::Section& section_named(const experiment::Experiment& experiment,
                                         const std::string& name) {
    if (name == experiment.training.name) {
        return experiment.training;
    }
    return experiment.validation && name == experiment.validation->name ? *experiment.validation
                                                                        : *experiment.test;
}

experiment::Section each_once(experiment::Section section) {
    section.dataloader.mode = "ordered";
    section.dataloader.shuffle = false;
    section.dataloader.drop_last = false;
    if (section.sampler) {
        section.sampler->is_each_once = true;
    }
    return section;
}

void load_evaluated_weights(const std::optional<std::filesystem::path>& checkpoint,
                            const experiment::Experiment& experiment, const Components& components,
                            spdlog::logger& log) {
    if (checkpoint) {
        run::check_hashes(*checkpoint);
        restore_evaluated_weights(*checkpoint, components);
        log.info("weights of {}", checkpoint->string());
        return;
    }
    refuse_unloaded(experiment, components);
    load_weights(experiment.pipeline, components, log);
}

}  // namespace ptp::engine
