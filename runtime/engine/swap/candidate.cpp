// The creation of new components, and of the sources of batches that depend on them.

#include "engine/swap/candidate.hpp"

#include "base/error.hpp"
#include "engine/component/loader_stage.hpp"
#include "engine/swap/process_settings.hpp"
#include "engine/swap/swap_error.hpp"

#include <ATen/Context.h>
#include <c10/util/ScopeExit.h>
#include <fmt/core.h>

#include <utility>

namespace ptp::engine {

namespace {

// Destroys the instance before the pipeline that it was created from.
struct Owned {
    std::shared_ptr<NextPipeline> pipeline;
    std::shared_ptr<Instance> instance;
};

std::shared_ptr<Instance> owned(const std::shared_ptr<NextPipeline>& pipeline,
                                std::shared_ptr<Instance> instance) {
    const auto both = std::make_shared<Owned>(Owned{pipeline, std::move(instance)});
    return {both, both->instance.get()};
}

const ptp_component_info& info_of(const NewGenerations& generations, const pipeline::Node& node) {
    const ptp_component_info* info =
        generations.at(node.plugin->manifest.name).component(node.component->name);
    if (info == nullptr) {
        throw RunError(kPluginError, fmt::format("the plugin '{}' has no component '{}'",
                                                 node.plugin->manifest.name, node.component->name));
    }
    return *info;
}

// Makes a new source. The order of the samples, and the position within the epoch, depend on their
// number, and on the classes, weights or lengths that a sampler gets from the task or its streams.
std::unique_ptr<BatchSource> new_source(const BatchSource& old, Instance& task,
                                        BatchTransforms transforms,
                                        const ComponentContext& component_context) {
    const std::int64_t size = task.size();
    const std::int64_t old_size = old.task().size();
    if (size != old_size) {
        throw WithFix<RunError>(
            kPluginError, {fmt::format("{}: has {} samples, had {}: the position in the epoch "
                                       "would be lost",
                                       task.title(), size, old_size),
                           "keep the samples, or begin a new run with this build"});
    }
    auto source = std::make_unique<BatchSource>(old.section(), component_context.plan, task,
                                                component_context.seed, std::move(transforms));
    if (!source->samples_like(old)) {
        throw WithFix<RunError>(
            kPluginError,
            {fmt::format("{}: its samples have other classes, weights or lengths than they had, by "
                         "which [{}] draws them: the position in the epoch would be lost",
                         task.title(), old.section().name),
             "keep the classes, weights and lengths, or begin a new run with this build"});
    }
    source->copy_ahead(CopyAhead::to(component_context.device));
    return source;
}

// Creates sources for the sections with a new task, with a new transform in their loader threads,
// or whose batches lack a stream that a new component reads.
void create_sources(TrainingSession& session, const ComponentContext& component_context,
                    Candidate& made) {
    for (const std::unique_ptr<BatchSource>* const old : session.sources()) {
        const BatchSource* const source = old->get();
        std::unique_ptr<BatchSource>& place = made.sources.emplace_back();
        if (source == nullptr) {
            continue;
        }
        Instance& task = *made.components.task(source->section().name);
        BatchTransforms transforms{loader_stage(made.components, task),
                                   per_sample_stage(made.components, task)};
        if (&task != &source->task() || source->depends_on(transforms) ||
            session.lacks_streams(*source, made.components)) {
            place = new_source(*source, task, std::move(transforms), component_context);
            session.share(*place, made.components);
            session.drop_unread(*place, made.components);
        }
    }
}

// Returns what a checkpoint of this moment would have of the components that are exchanged, so that
// the new ones do without the files that the old ones were made from.
SavedComponents saved_of(const TrainingSession& session, const NextPipeline& next) {
    SavedComponents saved{.states = Value::table(), .globals = next.globals.values()};
    const auto add = [&](const std::string& name, Instance& old) {
        if (auto state = running_state(old)) {
            saved.states.set(name, Value::table({{"version", state->version},
                                                 {"state", std::move(state->value)}}));
        }
    };
    for (std::size_t i = 0; i < next.new_tasks.size(); ++i) {
        if (next.new_tasks[i]) {
            add(kTaskPrefix + next.plan.tasks[i].section, *session.components.tasks[i]);
        }
    }
    for (std::size_t i = 0; i < next.new_nodes.size(); ++i) {
        if (next.new_nodes[i] && next.plan.nodes[i].share.empty()) {
            add(next.plan.nodes[i].name, *session.components.nodes[i]);
        }
    }
    return saved;
}

// Adds the nodes that share another node's instance, once all instances exist.
void share_nodes(const std::shared_ptr<NextPipeline>& next, ComponentContext& component_context,
                 Components& components) {
    for (std::size_t i = 0; i < next->new_nodes.size(); ++i) {
        const pipeline::Node& node = next->plan.nodes[i];
        if (next->new_nodes[i] && !node.share.empty()) {
            components.nodes[i] = owned(next, share_node(component_context, node, components));
        }
    }
}

}  // namespace

Candidate create_candidate(TrainingSession& session, const std::shared_ptr<NextPipeline>& next,
                           ComponentContext& component_context, const NewGenerations& generations,
                           std::uint64_t seed) {
    return in_phase(SwapPhase::kCreate, [&] {
        const SavedComponents saved = saved_of(session, *next);
        component_context.saved = &saved;  // for the components that are created here
        const auto hidden = c10::make_scope_exit([&] { component_context.saved = nullptr; });
        const ProcessSettings settings;
        at::manual_seed(seed);
        Candidate made;
        made.components = session.components;
        const auto put = [&](std::shared_ptr<Instance>& place, std::shared_ptr<Instance> instance) {
            place = owned(next, std::move(instance));
            settings.check(SwapPhase::kCreate, place->title());
        };
        for (std::size_t i = 0; i < next->new_tasks.size(); ++i) {
            if (next->new_tasks[i]) {
                const pipeline::Node& task = next->plan.tasks[i];
                put(made.components.tasks[i],
                    std::make_shared<Instance>(component_context, task,
                                               info_of(generations, task)));
            }
        }
        for (std::size_t i = 0; i < next->new_nodes.size(); ++i) {
            const pipeline::Node& node = next->plan.nodes[i];
            if (next->new_nodes[i] && node.share.empty()) {
                put(made.components.nodes[i],
                    create_node(component_context, node, info_of(generations, node)));
                require_saved_counts(*made.components.nodes[i]);
            }
        }
        share_nodes(next, component_context, made.components);
        create_sources(session, component_context, made);
        return made;
    });
}

}  // namespace ptp::engine
