#include "engine/optim/learning_rate.hpp"

#include "engine/optim/saved_quantities.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace ptp::engine {

namespace {

// From `start` to `end` while `part` goes from 0 to 1, along half a cosine.
double cosine_between(double start, double end, double part) {
    return end + (start - end) / 2 * (1 + std::cos(std::numbers::pi * part));
}

double episodes_of_run(const experiment::Training& training, std::uint64_t episodes_per_epoch) {
    const auto& limits = training.terminal_conditions;
    if (training.scheduler && training.scheduler->total_episodes) {
        return static_cast<double>(*training.scheduler->total_episodes);
    }
    const auto episode_limit = static_cast<double>(limits.episode_limit);
    if (limits.epoch_limit < 1) {
        return episode_limit;  // The online worker has at least this one.
    }
    const double of_epochs =
        static_cast<double>(limits.epoch_limit) * static_cast<double>(episodes_per_epoch);
    return episode_limit > 0 ? std::min(of_epochs, episode_limit) : of_epochs;
}

}  // namespace

LearningRate::LearningRate(const experiment::Training& training, std::uint64_t episodes_per_epoch)
    : scheduler_(training.scheduler),
      warm_up_(training.warm_up),
      episodes_per_epoch_(static_cast<double>(episodes_per_epoch)),
      total_episodes_(episodes_of_run(training, episodes_per_epoch)) {}

void LearningRate::follow(const experiment::Training& training) {
    scheduler_ = training.scheduler;
    warm_up_ = training.warm_up;
    total_episodes_ =
        episodes_of_run(training, static_cast<std::uint64_t>(std::llround(episodes_per_epoch_)));
}

void LearningRate::forget_validations() {
    best_loss_ = std::numeric_limits<double>::infinity();
    bad_validations_ = 0;
    cooldown_left_ = 0;
    reductions_ = 0;
}

bool LearningRate::is_constant() const {
    return !scheduler_ && !warm_up_ && lowered_ == 1;
}

double LearningRate::at(double base, const TrainingPosition& place) const {
    double rate = scheduler_ ? scheduled(base, place) : base;
    if (warm_up_) {
        rate *= warm_up(place.episode);
    }
    return rate * lowered_;
}

double LearningRate::scheduled(double base, const TrainingPosition& place) const {
    const auto epoch = static_cast<std::int64_t>(place.epoch);
    const auto power = [this](std::int64_t n) {
        return std::pow(scheduler_->gamma, static_cast<double>(n));
    };
    if (scheduler_->type == "StepLR") {
        return base * power(epoch / scheduler_->step_size);
    }
    if (scheduler_->type == "MultiStepLR") {
        const auto passed = std::ranges::upper_bound(scheduler_->milestones, epoch);
        return base * power(passed - scheduler_->milestones.begin());
    }
    if (scheduler_->type == "ExponentialLR") {
        return base * power(epoch);
    }
    if (scheduler_->type == "CosineAnnealingWarmRestarts") {
        const double part = static_cast<double>(place.batch) / episodes_per_epoch_;
        return cosine(base, static_cast<double>(place.epoch) + part);
    }
    if (scheduler_->type == "OneCycleLR") {
        const double first = base / scheduler_->div_factor;
        return one_cycle({first, base, first / scheduler_->final_div_factor}, place.episode);
    }
    return reduced(base);
}

double LearningRate::cosine(double base, double epochs) const {
    double period = static_cast<double>(scheduler_->first_period);
    if (scheduler_->period_factor == 1) {
        epochs = std::fmod(epochs, period);
    }
    while (epochs >= period) {
        epochs -= period;
        period *= static_cast<double>(scheduler_->period_factor);
    }
    return cosine_between(base, scheduler_->eta_min, epochs / period);
}

// Smith and Topin, "Super-Convergence" (2018): the momentum is low where the rate is high.
std::optional<double> LearningRate::momentum(const TrainingPosition& place) const {
    if (!scheduler_ || scheduler_->type != "OneCycleLR" || !scheduler_->cycle_momentum) {
        return std::nullopt;
    }
    const double most = scheduler_->max_momentum;
    return one_cycle({most, scheduler_->base_momentum, most}, place.episode);
}

// From the start to the turn and to the end, with three phases to the start again before that.
// After the last episode it stays there.
double LearningRate::one_cycle(const Cycle& cycle, std::uint64_t episode) const {
    const double turn_at = scheduler_->pct_start * total_episodes_ - 1;
    struct Phase {
        double end, from, to;
    };
    std::vector<Phase> phases = {{turn_at, cycle.start, cycle.turn}};
    if (scheduler_->three_phase) {
        phases.push_back({2 * turn_at, cycle.turn, cycle.start});
    }
    phases.push_back(
        {total_episodes_ - 1, scheduler_->three_phase ? cycle.start : cycle.turn, cycle.end});
    double begin = 0;
    const double at = static_cast<double>(episode);
    for (const Phase& phase : phases) {
        if (at <= phase.end && phase.end > begin) {
            const double part = (at - begin) / (phase.end - begin);
            return scheduler_->anneal_strategy == "cos"
                       ? cosine_between(phase.from, phase.to, part)
                       : phase.from + (phase.to - phase.from) * part;
        }
        begin = phase.end;
    }
    return cycle.end;
}

double LearningRate::reduced(double base) const {
    double rate = base;
    for (std::int64_t i = 0; i < reductions_; ++i) {
        rate = std::min(rate, std::max(rate * scheduler_->factor, scheduler_->min_lr));
    }
    return rate;
}

double LearningRate::warm_up(std::uint64_t episode) const {
    const double part = static_cast<double>(episode) / static_cast<double>(warm_up_->episodes);
    return warm_up_->start_factor + (1 - warm_up_->start_factor) * std::min(part, 1.0);
}

void LearningRate::validated(double loss) {
    if (!scheduler_ || scheduler_->type != "ReduceLROnPlateau") {
        return;
    }
    const bool is_relative = scheduler_->threshold_mode == "rel";
    const double wanted =
        is_relative ? best_loss_ * (1 - scheduler_->threshold) : best_loss_ - scheduler_->threshold;
    if (loss < wanted) {
        best_loss_ = loss;
        bad_validations_ = 0;
    } else {
        ++bad_validations_;
    }
    if (cooldown_left_ > 0) {
        --cooldown_left_;
        bad_validations_ = 0;
    }
    if (bad_validations_ > scheduler_->patience) {
        ++reductions_;
        cooldown_left_ = scheduler_->cooldown;
        bad_validations_ = 0;
    }
}

SavedState LearningRate::save() const {
    SavedState saved;
    saved.record = Value::table({{"lowered", lowered_},
                                 {"best_loss", best_loss_},
                                 {"bad_validations", bad_validations_},
                                 {"cooldown_left", cooldown_left_},
                                 {"reductions", reductions_}});
    return saved;
}

void LearningRate::restore(const SavedState& saved) {
    lowered_ = real_in(saved.record, "lowered");
    best_loss_ = real_in(saved.record, "best_loss");
    bad_validations_ = integer_in(saved.record, "bad_validations");
    cooldown_left_ = integer_in(saved.record, "cooldown_left");
    reductions_ = integer_in(saved.record, "reductions");
}

}  // namespace ptp::engine
