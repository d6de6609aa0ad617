// Creates what a training uses, shares it with other processes if there are several, and finds the
// streams that no component reads.

#include "engine/train/training_session.hpp"

#include "base/error.hpp"
#include "base/explanation.hpp"
#include "base/ranges.hpp"
#include "engine/checkpoint/frozen_untrained.hpp"
#include "engine/checkpoint/load.hpp"
#include "engine/component/batch_cut.hpp"
#include "engine/component/loader_stage.hpp"
#include "engine/train/data_facts.hpp"
#include "engine/train/shown_batches.hpp"
#include "engine/train/training_state.hpp"

#include <ptp/ext/parameters.h>
#include <ptp/ext/state.h>

#include <ATen/Context.h>
#include <fmt/core.h>

#include <algorithm>
#include <cassert>
#include <iterator>
#include <sstream>
#include <utility>

namespace ptp::engine {

namespace {

// Creates the components. They draw from their own generators; other draws depend on the seed too.
Components create_seeded(ComponentContext& component_context, const Descriptors& descriptors) {
    at::manual_seed(component_context.seed);
    Components made = create_components(component_context, descriptors);
    warn_of_small_tables(component_context);
    return made;
}

std::unique_ptr<BatchSource> source_of(const experiment::Section& section,
                                       const Components& components,
                                       const ComponentContext& component_context) {
    Instance& task = *components.task(section.name);
    auto source = std::make_unique<BatchSource>(
        section, component_context.plan, task, component_context.seed,
        BatchTransforms{loader_stage(components, task), per_sample_stage(components, task)});
    source->copy_ahead(CopyAhead::to(component_context.device));
    return source;
}

std::unique_ptr<BatchSource> source_of(const std::optional<experiment::Section>& section,
                                       const Components& components,
                                       const ComponentContext& component_context) {
    return section ? source_of(*section, components, component_context) : nullptr;
}

const experiment::ParameterGroup* group_of(const experiment::Training& training,
                                           const std::string& name) {
    return find_by(training.groups, name, &experiment::ParameterGroup::component);
}

// Returns the component's trained parameters: a frozen group has none.
std::vector<NamedParameter> trained_parameters(Instance& node, bool is_frozen) {
    std::vector<NamedParameter> trained;
    for (NamedTensor& named : node.tensors()) {
        const bool is_trained = named.tensor.requires_grad() || node.thaws(named.tensor);
        if (named.role != PTP_PARAMETER || !is_trained) {
            continue;
        }
        if (is_frozen) {
            named.tensor.set_requires_grad(false);
        } else {
            trained.push_back({node.node().name + "." + named.name, std::move(named.tensor)});
        }
    }
    return trained;
}

// Returns the groups, first the one without options of its own. An optimizer with a closure has one
// set of options.
std::vector<ParameterGroup> trained_groups(const experiment::Experiment& experiment,
                                           const Components& components) {
    std::vector<ParameterGroup> groups = {{"", experiment.training.optimizer, {}}};
    for (const std::shared_ptr<Instance>& node : components.nodes) {
        const experiment::ParameterGroup* own = group_of(experiment.training, node->node().name);
        std::vector<NamedParameter> trained =
            trained_parameters(*node, own != nullptr && own->is_frozen);
        if (own != nullptr && !own->is_frozen && trained.empty()) {
            throw RunError(kConfigurationError,
                           fmt::format("{}: training.optimizer.groups.{}: it has no parameters",
                                       own->place.text(), own->component));
        }
        const bool is_apart =
            own != nullptr && !optimizer::uses_closure(own->options) && !trained.empty();
        if (is_apart) {
            groups.push_back({own->component, own->options, std::move(trained)});
        } else {
            std::ranges::move(trained, std::back_inserter(groups.front().parameters));
        }
    }
    if (groups.front().parameters.empty()) {
        groups.erase(groups.begin());
    }
    if (groups.empty()) {
        throw WithFix<RunError>(
            kConfigurationError,
            {fmt::format("{}: pipeline: there is nothing to train: no model has a parameter "
                         "that is not frozen",
                         experiment.pipeline.place.text()),
             "set freeze = false in one of them, or freeze fewer layers"});
    }
    return groups;
}

// Refuses a reservoir: which batches it returns depends on how fast each process loads.
void refuse_reservoir(const experiment::Section& section) {
    if (section.dataloader.is_reservoir()) {
        throw WithFix<RunError>(
            kConfigurationError,
            {fmt::format("{}: {}.dataloader.mode = \"reservoir\": several processes cannot share "
                         "its batches, which depend on how fast each of them loads",
                         section.place.text(), section.name),
             "take mode = \"ordered\", or train in one process"});
    }
}

}  // namespace

void require_saved_counts(const Instance& instance) {
    const pipeline::Node& node = instance.node();
    const std::vector<plugin::Statistic>& declared = node.component->statistics;
    for (std::size_t i = 0; i < declared.size(); ++i) {
        if (declared[i].aggregation == plugin::Aggregation::kComputed && node.has_statistic[i] &&
            !instance.has_state()) {
            throw WithFix<RunError>(
                kPluginError,
                {fmt::format("{}: computes the statistic '{}' over a whole set and cannot save "
                             "what it has counted, so that a training that is interrupted and "
                             "resumed would produce another value",
                             instance.blamed(), declared[i].name),
                 "give it state(), or export_state() and import_state() (" PTP_EXTENSION_STATE
                 "), and build its plugin again"});
        }
    }
}

std::unique_ptr<Optimization> make_optimization(const TrainingSession& session,
                                                const Components& components) {
    return std::make_unique<Optimization>(
        Optimization::Dependencies{
            session.experiment.training, session.log, session.collective,
            session.experiment.distributed.is_compressed,
            session.experiment.distributed.has_sharded_optimizer && session.collective.size() > 1,
            &session.profiler},
        trained_groups(session.experiment, components), session.training->batch_count());
}

TrainingSession::TrainingSession(const experiment::Experiment& experiment_in,
                                 ComponentContext& component_context,
                                 const Descriptors& descriptors, Collective& collective_in,
                                 FirstWeights first_weights)
    : experiment(experiment_in),
      log(*component_context.log),
      collective(collective_in),
      determinism(component_context.device, experiment.is_deterministic, log),
      components(create_seeded(component_context, descriptors)),
      data_files(named_files(components)),
      frame(component_context.plan),
      tried(component_context.log),
      executor(component_context.plan, components, frame, component_context.device),
      statistics(component_context.plan, components, experiment.training.loss_weights),
      training(source_of(experiment.training, components, component_context)),
      validation(source_of(experiment.validation, components, component_context)),
      test(source_of(experiment.test, components, component_context)) {
    executor.count_tried(tried);
    for (const experiment::Section& section : experiment.other_validations) {
        other_validations.push_back(source_of(section, components, component_context));
    }
    for (const std::shared_ptr<Instance>& node : components.nodes) {
        require_saved_counts(*node);
    }
    if (!statistics.has_loss(kTrainingSet)) {
        throw RunError(kConfigurationError,
                       fmt::format("{}: pipeline: there is nothing to minimize: it has no loss",
                                   experiment.pipeline.place.text()));
    }
    if (first_weights == FirstWeights::kFromExperiment) {
        const Loaded weights = load_weights(experiment.pipeline, components,
                                            component_context.globals, *component_context.log);
        loaded = weights.lines;
        warn_of_frozen_untrained(experiment.pipeline, weights.fits, components,
                                 *component_context.log);
    }
    require_known_layers(components);
    optimization = make_optimization(*this, components);
    statistics.add_learning_rates(optimization->rate_names());
    executor.train_in(experiment.training.precision);
}

std::vector<std::unique_ptr<BatchSource>*> TrainingSession::sources() {
    std::vector<std::unique_ptr<BatchSource>*> all = {&training, &validation};
    for (std::unique_ptr<BatchSource>& other : other_validations) {
        all.push_back(&other);
    }
    all.push_back(&test);
    return all;
}

BatchSource& TrainingSession::validation_set(std::size_t number) {
    assert(validation != nullptr && number <= other_validations.size());
    return number == 0 ? *validation : *other_validations[number - 1];
}

std::vector<std::string> TrainingSession::validation_names() const {
    std::vector<std::string> names;
    if (experiment.validation) {
        names.push_back(experiment.validation->name);
    }
    for (const experiment::Section& section : experiment.other_validations) {
        names.push_back(section.name);
    }
    return names;
}

std::vector<std::string> TrainingSession::nodes_normalizing_parts() const {
    std::vector<std::string> names;
    if (collective.size() == 1 ||
        experiment.distributed.buffers == experiment::SharedBuffers::kSynchronized) {
        return names;
    }
    for (const std::shared_ptr<Instance>& node : components.nodes) {
        const std::vector<NamedTensor> tensors = node->tensors();
        const bool has_means = std::ranges::any_of(
            tensors, [](const NamedTensor& named) { return named.name.ends_with("running_mean"); });
        const bool is_trained = std::ranges::any_of(tensors, [](const NamedTensor& named) {
            return named.role == PTP_PARAMETER && named.tensor.requires_grad();
        });
        if (has_means && is_trained) {
            names.push_back(node->node().name);
        }
    }
    return names;
}

void TrainingSession::share(BatchSource& source, const Components& made) const {
    if (collective.size() > 1) {
        source.share({collective.rank(), collective.size(),
                      needs_whole_batches(executor.plan(), made, source.task()),
                      collective.least_share()});
    }
}

void TrainingSession::share() {
    if (collective.size() == 1) {
        return;
    }
    refuse_reservoir(experiment.training);
    if (experiment.distributed.has_sharded_optimizer && optimization->needs_closure()) {
        throw WithFix<RunError>(
            kConfigurationError,
            {fmt::format("distributed.sharded_optimizer = true: a step of {} needs all parameters",
                         optimizer::name_of(experiment.training.optimizer)),
             "leave it out, or take another optimizer"});
    }
    collective.begin({executor.plan(), experiment.distributed, components, executor, profiler});
    executor.share_batches(components);
    statistics.share(observing_nodes(components), collective);
    for (std::unique_ptr<BatchSource>* source : sources()) {
        if (*source) {
            share(**source, components);
        }
    }
    collective.align(components);
    draw_apart(*this, 0);
}

std::unique_ptr<ShownBatches> TrainingSession::shown_batches(const BatchSource& source,
                                                             Sinks* sinks,
                                                             std::optional<std::uint64_t> epoch) {
    return collective.size() == 1 ? std::make_unique<ShownBatches>(*this, source, sinks, epoch)
                                  : std::make_unique<GatheredBatches>(*this, source, sinks, epoch);
}

void TrainingSession::drop_unread(const Sinks& shown) {
    std::istringstream lines(collective.from_first("the streams of the records", [&] {
        std::string names;
        for (const pipeline::Stream& stream : executor.plan().streams) {
            names += shown.read(stream.name) ? stream.name + '\n' : "";
        }
        return names;
    }));
    shown_.emplace();
    for (std::string name; std::getline(lines, name);) {
        shown_->insert(name);
    }
    for (std::unique_ptr<BatchSource>* source : sources()) {
        if (*source) {
            drop_unread(**source, components);
        }
    }
}

std::vector<int> TrainingSession::unread(const Components& made, const Instance& task) const {
    if (!shown_) {
        return {};
    }
    std::vector<int> streams = unread_streams(made, task);
    std::erase_if(streams, [this](int stream) {
        return shown_->contains(executor.plan().stream(stream).name);
    });
    return streams;
}

void TrainingSession::drop_unread(BatchSource& source, const Components& made) const {
    source.drop(unread(made, source.task()));
}

bool TrainingSession::lacks_streams(const BatchSource& source, const Components& made) const {
    const std::vector<int> unread = this->unread(made, source.task());
    return std::ranges::any_of(source.dropped(),
                               [&](int stream) { return !contains(unread, stream); });
}

bool TrainingSession::lacks_streams_of(const pipeline::Node& node) {
    return std::ranges::any_of(sources(), [&](const std::unique_ptr<BatchSource>* source) {
        if (*source == nullptr) {
            return false;
        }
        const std::vector<int> dropped = (*source)->dropped();
        return std::ranges::any_of(node.read_streams(),
                                   [&](int stream) { return contains(dropped, stream); });
    });
}

}  // namespace ptp::engine
