// The calls of executor, statistics and other processes for one batch, in their order.

#include "engine/train/episode.hpp"

#include <c10/core/GradMode.h>

namespace ptp::engine {

Episode::Episode(const Parts& parts, const Set& set)
    : parts_(parts), collective_(parts.collective == nullptr ? alone_ : *parts.collective) {
    facts_.struct_size = sizeof(ptp_step);
    facts_.is_training = set.is_training ? 1 : 0;
    facts_.section = set.section.name.c_str();
    facts_.set = set.set;
}

void Episode::forward(const Instance& task, Position at, Batch batch, bool is_thorough) {
    facts_.episode = at.episode;
    facts_.epoch = at.epoch;
    facts_.batch_index = batch.index;
    facts_.batch_size = batch.size;
    const auto set = static_cast<StatisticSet>(facts_.set);
    const BatchShare share = parts_.frame.samples().share;
    collective_.forward_pass(share, batch.size, [&] {
        if (batch.size > 0 || !share.is_cut) {
            parts_.executor.run(task, facts_, is_thorough);
        }
    });
    if (parts_.statistics == nullptr) {
        return;
    }
    const Profiler::Timer timer(parts_.profiler, Profiler::kStatistics);
    parts_.statistics->read(set, parts_.frame, batch.size);
    collective_.exchange(*parts_.statistics, parts_.frame);
}

void Episode::forward_again() {
    collective_.forward_pass(parts_.frame.samples().share, facts_.batch_size, [this] {
        if (facts_.batch_size > 0) {
            parts_.executor.run_again(facts_);
        }
    });
}

void Episode::count() {
    const c10::AutoGradMode without_gradients(false);
    collective_.observe(parts_.executor, parts_.frame, facts_);
    if (parts_.statistics != nullptr) {
        const Profiler::Timer timer(parts_.profiler, Profiler::kStatistics);
        parts_.statistics->count();
    }
}

bool SetPass::next(Position at) {
    episode_.frame().clear();
    if (!pass_.next(episode_.frame())) {
        return false;
    }
    episode_.forward(source_.task(), at, {pass_.batch_index(), pass_.batch_size()});
    episode_.count();
    samples_done_ += pass_.batch_size();
    return true;
}

}  // namespace ptp::engine
