// Prepares a session to train together with other processes.

#include "base/error.hpp"
#include "base/explanation.hpp"
#include "engine/component/batch_cut.hpp"
#include "engine/train/session.hpp"
#include "engine/train/training_state.hpp"

#include <fmt/core.h>

#include <memory>
#include <utility>
#include <vector>

namespace ptp::engine {

namespace {

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

void Session::share(BatchSource& source, const Components& made) const {
    if (shared) {
        const Group& group = shared->group();
        source.share({group.rank(), group.size(),
                      needs_whole_batches(shared->plan(), made, source.task()),
                      shared->least_share()});
    }
}

void Session::share(Group& group, RankWatch& watch) {
    refuse_reservoir(experiment.training);
    rank_state = &watch.state();
    executor.watch(watch.state());
    watch.profile(profiler);
    if (experiment.distributed.has_sharded_optimizer && optimization->needs_closure()) {
        throw WithFix<RunError>(
            kConfigurationError,
            {fmt::format("distributed.sharded_optimizer = true: a step of {} needs all parameters",
                         optimizer::name_of(experiment.training.optimizer)),
             "leave it out, or take another optimizer"});
    }
    shared = std::make_unique<SharedTraining>(
        SharedTraining::Parts{group, executor.plan(), experiment.distributed}, components);
    executor.share_batches(components);
    statistics.share(observing_nodes(components), group.is_first(),
                     [this](std::vector<Aggregate>& aggregates) { shared->agree(aggregates); });
    for (std::unique_ptr<BatchSource>* source : sources()) {
        if (*source) {
            share(**source, components);
        }
    }
    optimization = make_optimization(*this, components);
    shared->align(components);
    draw_apart(*this, 0);
}

}  // namespace ptp::engine
