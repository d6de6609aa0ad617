// Sets up what a trainer works with, above all its progress line, and derives the status of a
// training from its stop rules.

#include "engine/train/trainer_context.hpp"

#include "base/error.hpp"
#include "base/suggest.hpp"

#include <fmt/core.h>

#include <memory>
#include <vector>

namespace ptp::engine {

namespace {

// Returns the column shown beside the loss: the one with this name, or the first one.
std::optional<std::size_t> statistic_to_show(const Statistics& statistics,
                                             const std::string& name) {
    const auto column = statistics.batch_statistic(name);
    if (column || name.empty()) {
        return column;
    }
    std::vector<std::string> known;
    for (const Column& other : statistics.columns()) {
        if (is_in_batches(other, kTrainingSet)) {
            known.push_back(other.name);
        }
    }
    throw RunError(kConfigurationError,
                   fmt::format("--show {}: the batches of training have no such statistic{}", name,
                               hint(name, known)));
}

ProgressSetup progress_setup(const TrainingSession& session, std::optional<std::size_t> statistic) {
    ProgressSetup setup;
    setup.course = course_of(session.experiment, session.training->batch_count());
    if (session.validation) {
        setup.course.validation_batches = session.validation->batch_count();
        setup.course.validation_sets = 1 + session.other_validations.size();
    }
    for (const std::unique_ptr<BatchSource>& other : session.other_validations) {
        setup.course.validation_batches += other->batch_count();
    }
    if (session.test) {
        setup.course.test_batches = session.test->batch_count();
    }
    setup.loss_name = session.statistics.loss_name();
    if (statistic) {
        setup.statistic_name = session.statistics.columns()[*statistic].name;
    }
    return setup;
}

}  // namespace

TrainerContext::TrainerContext(const TrainerParts& parts)
    : TrainerParts(parts),
      stop(session.experiment.training.terminal_conditions),
      policy(session.experiment),
      shown_column(statistic_to_show(session.statistics, shown_statistic)),
      progress(console, progress_setup(session, shown_column)) {
    session.collective.look_with(*this);
}

RankNotes TrainerContext::notes() const {
    return {time.seconds(), policy.is_due_by_time(), Signals::received()};
}

bool TrainerContext::is_online() const {
    return session.experiment.training.worker == experiment::Worker::kOnline;
}

bool TrainerContext::may_roll_back() const {
    return session.experiment.training.bad_loss.action == "rollback";
}

void TrainerContext::resume_limits() {
    const experiment::TerminalConditions& conditions =
        session.experiment.training.terminal_conditions;
    stop.change(conditions);
    progress.change_limits(conditions);
}

Status TrainerContext::due_status() const {
    if (state.batches_done > 0 || state.epoch == 0) {
        return Status::kRunning;
    }
    const Status verdict = is_online() ? Status::kRunning : stop.judgement();
    const bool is_over = verdict == Status::kRunning && stop.is_epoch_limit(state.epoch);
    return stop.if_not_far_off(is_over ? Status::kEpochLimit : verdict);
}

}  // namespace ptp::engine
