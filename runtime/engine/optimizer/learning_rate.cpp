// The learning rate of an episode by schedule, warm-up and rollbacks, and the state of the
// schedule.

#include "engine/optimizer/learning_rate.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace ptp::engine {

namespace {

// The keys of positions from which a schedule or warm-up counts, if not from the start.
constexpr const char* kScheduleBegin = "schedule_begin";
constexpr const char* kWarmUpBegin = "warm_up_begin";

// Returns the number of episodes that the limits allow.
double episodes_of_run(const experiment::Training& training, std::uint64_t episodes_per_epoch) {
    const auto& limits = training.terminal_conditions;
    const auto episode_limit = static_cast<double>(limits.episode_limit);
    if (limits.epoch_limit < 1) {
        return episode_limit;  // The online worker has at least this one.
    }
    const double of_epochs =
        static_cast<double>(limits.epoch_limit) * static_cast<double>(episodes_per_epoch);
    return episode_limit > 0 ? std::min(of_epochs, episode_limit) : of_epochs;
}

std::vector<run::Key> position_keys(TrainingPosition& position) {
    return {{"episode", &position.episode}, {"epoch", &position.epoch}, {"batch", &position.batch}};
}

// A visitor of a schedule's state, which collects its keys.
struct StateKeys {
    std::vector<run::Key> keys;

    void operator()(const char* name, auto& value) { keys.push_back({name, &value}); }
};

// Does `work` with a schedule that has a state.
template <class Work>
void with_state(std::optional<schedule::Any>& schedule, const Work& work) {
    if (schedule) {
        std::visit(
            [&]<class Schedule>(Schedule& one) {
                if constexpr (schedule::kHasState<Schedule>) {
                    work(one);
                }
            },
            *schedule);
    }
}

}  // namespace

LearningRate::LearningRate(const experiment::Training& training, std::uint64_t episodes_per_epoch)
    : schedule_(training.scheduler),
      warm_up_(training.warm_up),
      episodes_per_epoch_(static_cast<double>(episodes_per_epoch)),
      total_episodes_(episodes_of_run(training, episodes_per_epoch)) {}

void LearningRate::follow(const experiment::Training& training) {
    const std::optional<schedule::Any> before = std::exchange(schedule_, training.scheduler);
    warm_up_ = training.warm_up;
    total_episodes_ =
        episodes_of_run(training, static_cast<std::uint64_t>(std::llround(episodes_per_epoch_)));
    if (!schedule_ || !before || schedule_->index() != before->index()) {
        restore_schedule();
        return;
    }
    with_state(schedule_, [&]<class Schedule>(Schedule& now) {
        now.state = std::get<Schedule>(*before).state;
    });
}

void LearningRate::forget_validations() {
    restored_ = Value();
    with_state(schedule_, [](auto& now) { now.state = {}; });
}

void LearningRate::begin_schedule(const TrainingPosition& begin) {
    forget_validations();
    schedule_begin_ = begin;
}

schedule::Position LearningRate::position(const TrainingPosition& asked) const {
    const TrainingPosition& begin = schedule_begin_;
    // A training that was just restored has had no episode of its own yet, and asks for the first.
    const TrainingPosition& now = asked.episode < begin.episode ? begin : asked;
    const std::uint64_t epoch = now.epoch - begin.epoch;
    const double batches = static_cast<double>(now.batch) - static_cast<double>(begin.batch);
    return {.episode = now.episode - begin.episode,
            .epoch = epoch,
            .batch = now.batch,
            .epochs_done = static_cast<double>(epoch) + batches / episodes_per_epoch_,
            .episodes_per_epoch = episodes_per_epoch_,
            .total_episodes = total_episodes_ - static_cast<double>(begin.episode)};
}

double LearningRate::at(double base, const TrainingPosition& now) const {
    double rate = base;
    if (schedule_) {
        rate =
            std::visit([&](const auto& one) { return one.rate(base, position(now)); }, *schedule_);
    }
    if (warm_up_) {
        rate *= warm_up(now.episode);
    }
    return rate * lowered_;
}

std::optional<double> LearningRate::momentum(const TrainingPosition& now) const {
    if (!schedule_) {
        return std::nullopt;
    }
    return std::visit(
        [&]<class Schedule>(const Schedule& one) -> std::optional<double> {
            if constexpr (schedule::kCanCycleMomentum<Schedule>) {
                if (one.cycled_momentum.is_on) {
                    return one.momentum(position(now));
                }
            }
            return std::nullopt;
        },
        *schedule_);
}

double LearningRate::warm_up(std::uint64_t episode) const {
    const double part = static_cast<double>(std::max(episode, warm_up_begin_) - warm_up_begin_) /
                        static_cast<double>(warm_up_->episodes);
    return warm_up_->start_factor + (1 - warm_up_->start_factor) * std::min(part, 1.0);
}

void LearningRate::validated(double loss, bool is_negated) {
    with_state(schedule_, [&](auto& one) { one.validated(loss, is_negated); });
}

SavedState LearningRate::save() const {
    SavedState saved;
    saved.record.set("lowered", lowered_);
    if (schedule_begin_.episode > 0) {
        TrainingPosition begin = schedule_begin_;
        saved.record.set(kScheduleBegin, run::write_keys(position_keys(begin)));
    }
    if (warm_up_begin_ > 0) {
        saved.record.set(kWarmUpBegin, warm_up_begin_);
    }
    std::optional<schedule::Any> schedule = schedule_;
    with_state(schedule, [&](auto& one) {
        saved.record.set("schedule", std::string(one.kName));
        StateKeys state;
        one.state.visit(state);
        run::add_keys(saved.record, state.keys);
    });
    return saved;
}

void LearningRate::restore(const SavedState& saved) {
    lowered_ = real_in(saved.record, "lowered");
    schedule_begin_ = {};
    if (saved.record.find(kScheduleBegin) != nullptr) {
        run::require_keys(run::value_in(saved.record, kScheduleBegin, ValueType::kTable),
                          position_keys(schedule_begin_));
    }
    warm_up_begin_ = 0;
    run::read_keys(saved.record, {{kWarmUpBegin, &warm_up_begin_}});
    restored_ = saved.record;
    restore_schedule();
}

// Restores the state of this schedule if the record has it. Older records had one of
// ReduceLROnPlateau in any case, without its name.
void LearningRate::restore_schedule() {
    with_state(schedule_, [&](auto& one) {
        const Value* name = restored_.find("schedule");
        const bool is_its = name == nullptr ? restored_.find("best_loss") != nullptr
                                            : *name == Value(std::string(one.kName));
        if (is_its) {
            StateKeys state;
            one.state.visit(state);
            run::require_keys(restored_, state.keys);
        }
    });
}

}  // namespace ptp::engine
