#include "engine/train/training_episode.hpp"

#include "base/error.hpp"
#include "base/stopwatch.hpp"

#include <limits>

namespace ptp::engine {

StepOutcome TrainingEpisode::run(Position at, const Pass& pass, double wait_seconds) {
    Session& session = parts_.session;
    const Stopwatch time;
    step_.forward(at, pass);
    {
        const Profiler::Timer timer(session.profiler, Profiler::kRecords);
        parts_.sinks.look_at(at, session.frame);
    }
    parts_.stop.trained(session.statistics.last_loss());
    const StepOutcome learned = train_step(at);
    const double shown = parts_.shown_statistic
                             ? session.statistics.values()[*parts_.shown_statistic]
                             : std::numeric_limits<double>::quiet_NaN();
    parts_.progress.episode(
        {at.episode, at.epoch, session.statistics.last_loss(), wait_seconds, shown});
    if (session.threads != nullptr) {
        session.threads->episode(time.seconds());  // excludes the wait for its batch
    }
    return learned;
}

StepOutcome TrainingEpisode::train_step(Position at) {
    StepOutcome learned = StepOutcome::kApplied;
    try {
        learned = step_.train_step();
    } catch (const RunError&) {
        record(at);
        throw;
    }
    record(at);
    const Profiler::Timer timer(parts_.session.profiler, Profiler::kRecords);
    parts_.sinks.learned(at, parts_.session.components);
    return learned;
}

void TrainingEpisode::record(Position at) {
    const Profiler::Timer timer(parts_.session.profiler, Profiler::kRecords);
    parts_.sinks.pictures(parts_.session.pictures);
    parts_.session.pictures.clear();
    parts_.records.episode(at, parts_.session.statistics.values());
    parts_.sinks.episode({at, parts_.session.statistics.values()});
}

}  // namespace ptp::engine
