#include "engine/train/session.hpp"

#include "engine/checkpoint/load.hpp"
#include "engine/error.hpp"

#include <ATen/Context.h>
#include <fmt/core.h>

#include <utility>
#include <vector>

namespace ptp::engine {

namespace {

// Components draw their first weights from libtorch's own generator, one after the other.
Components create_seeded(Surroundings& surroundings, const Descriptors& descriptors) {
    at::manual_seed(surroundings.seed);
    return create_components(surroundings, descriptors);
}

void load_components(const config::Experiment& experiment, const Components& components) {
    for (const config::ComponentEntry& entry : experiment.pipeline.components) {
        for (const std::unique_ptr<Instance>& node : components.nodes) {
            if (entry.load && node->node().name == entry.name) {
                load_component(*entry.load, *node);
            }
        }
    }
}

std::unique_ptr<BatchSource> source_of(const std::optional<config::Section>& section,
                                       const Components& components,
                                       const Surroundings& surroundings) {
    if (!section) {
        return nullptr;
    }
    return std::make_unique<BatchSource>(*section, surroundings.plan,
                                         *components.task(section->name), surroundings.seed);
}

std::vector<NamedParameter> trained_parameters(const config::Experiment& experiment,
                                               const Components& components) {
    std::vector<NamedParameter> trained;
    for (const std::unique_ptr<Instance>& node : components.nodes) {
        for (NamedTensor& named : node->tensors()) {
            if (named.role == PTP_PARAMETER && named.tensor.requires_grad()) {
                trained.push_back({node->node().name + "." + named.name, std::move(named.tensor)});
            }
        }
    }
    if (trained.empty()) {
        throw RunError(
            kConfigurationError,
            fmt::format("{}: pipeline: there is nothing to train: no model has a parameter "
                        "that is not frozen",
                        experiment.pipeline.place.text()));
    }
    return trained;
}

}  // namespace

Session::Session(const config::Experiment& experiment_in, Surroundings& surroundings,
                 const Descriptors& descriptors, FirstWeights first_weights)
    : experiment(experiment_in),
      components(create_seeded(surroundings, descriptors)),
      frame(surroundings.plan),
      executor(surroundings.plan, components.nodes, frame, surroundings.device),
      statistics(surroundings.plan, components),
      training(experiment.training, surroundings.plan, *components.task(experiment.training.name),
               surroundings.seed),
      validation(source_of(experiment.validation, components, surroundings)),
      test(source_of(experiment.test, components, surroundings)) {
    if (!statistics.has_loss()) {
        throw RunError(kConfigurationError,
                       fmt::format("{}: pipeline: there is nothing to minimise: it has no loss",
                                   experiment.pipeline.place.text()));
    }
    if (first_weights == FirstWeights::kFromExperiment) {
        load_components(experiment, components);
    }
    optimizer = std::make_unique<Optimizer>(experiment.training.optimizer,
                                            experiment.training.gradient_clipping,
                                            trained_parameters(experiment, components));
}

}  // namespace ptp::engine
