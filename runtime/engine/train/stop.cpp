// The rules that end a training, and their state in a checkpoint.

#include "engine/train/stop.hpp"

#include "base/number.hpp"
#include "run/training_record.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace ptp::engine {

namespace {

// The names, in the order of Status.
constexpr std::array<std::string_view, 8> kStatusNames = {
    "not_converged", "converged",  "early_stopping", "epoch_limit",
    "episode_limit", "time_limit", "diverged",       "interrupted"};

constexpr std::int64_t kDivergedValidations = 3;  // in a row
constexpr double kSmallestScale = 1;              // if the first loss is close to 0
constexpr const char* kAdvice = "a lower learning rate may help";

// The losses of the training in a checkpoint.
constexpr const char* kTrainingLoss = "training_loss";
constexpr const char* kTrainingLosses = "training_losses";
constexpr const char* kLastTrainingLoss = "last_training_loss";

// A training is judged by its progress from these on.
constexpr std::int64_t kMinEpochs = 3;
constexpr std::int64_t kMinEpisodes = 50;
constexpr std::int64_t kFirstEpisodes = 10;
constexpr double kMinFall = 0.02;  // as a share of the loss

}  // namespace

std::string_view status_name(Status status) {
    return kStatusNames[static_cast<std::size_t>(status)];
}

std::optional<Status> status_from(std::string_view name) {
    const auto* const named = std::ranges::find(kStatusNames, name);
    return named == kStatusNames.end() ? std::nullopt
                                       : std::optional(Status(named - kStatusNames.begin()));
}

std::string status_text(Status status, const experiment::Training& training) {
    const experiment::TerminalConditions& conditions = training.terminal_conditions;
    switch (status) {
        case Status::kRunning:
            return "not converged";
        case Status::kConverged:
            return fmt::format("converged: the loss fell below {}",
                               conditions.loss_stop_threshold.value_or(0));
        case Status::kEarlyStopping:
            return fmt::format(
                "stopped early: {} without a {}",
                counted(conditions.early_stop_validations, "validation"),
                training.judge ? "better " + training.judge->statistic : "lower loss");
        case Status::kEpochLimit:
            return fmt::format("epoch limit of {} reached", conditions.epoch_limit);
        case Status::kEpisodeLimit:
            return fmt::format("episode limit of {} reached", conditions.episode_limit);
        case Status::kTimeLimit:
            return fmt::format("time limit of {} reached",
                               duration_text(conditions.wall_time.seconds));
        case Status::kDiverged:
            return "diverged";
        case Status::kInterrupted:
            return "interrupted";
    }
    return "";
}

void StopRules::trained(double loss) {
    if (!std::isfinite(loss)) {
        return;
    }
    if (!first_loss_) {
        first_loss_ = loss;
        highest_loss_ = std::max(highest_loss_, loss);
    }
    training_loss_ += (loss - training_loss_) / static_cast<double>(++training_losses_);
}

double StopRules::divergence_limit() const {
    if (conditions_.divergence_factor == 0 || !first_loss_) {
        return std::numeric_limits<double>::infinity();
    }
    return conditions_.divergence_factor * std::max(std::abs(*first_loss_), kSmallestScale);
}

bool StopRules::is_far(double loss) const {
    return !std::isfinite(loss) || loss > divergence_limit();
}

void StopRules::change(const experiment::TerminalConditions& conditions) {
    conditions_ = conditions;
    if (!is_far(last_loss_)) {
        far_off_in_a_row_ = 0;
    }
}

bool StopRules::validated(double loss, std::optional<double> judged) {
    last_loss_ = loss;
    last_training_loss_ = std::exchange(training_loss_, 0);
    training_losses_ = 0;
    far_off_in_a_row_ = is_far(loss) ? far_off_in_a_row_ + 1 : 0;
    if (std::isfinite(loss)) {
        highest_loss_ = std::max(highest_loss_, loss);
    }
    const double value = judged.value_or(loss);
    if (value < best_ && !is_far(loss)) {
        best_ = value;
        validations_without_gain_ = 0;
        return true;
    }
    ++validations_without_gain_;
    return false;
}

Status StopRules::judgement() const {
    if (far_off_in_a_row_ >= kDivergedValidations) {
        return Status::kDiverged;
    }
    if (is_below_threshold() && unmet_threshold().empty()) {
        return Status::kConverged;
    }
    if (conditions_.early_stop_validations > 0 &&
        validations_without_gain_ >= conditions_.early_stop_validations) {
        return Status::kEarlyStopping;
    }
    return Status::kRunning;
}

bool StopRules::is_below_threshold() const {
    return conditions_.loss_stop_threshold && std::isfinite(last_loss_) &&
           last_loss_ < *conditions_.loss_stop_threshold;
}

std::string StopRules::unmet_threshold() const {
    if (!is_below_threshold()) {
        return "";
    }
    const double threshold = *conditions_.loss_stop_threshold;
    if (last_loss_ < 0 && threshold >= 0) {
        return fmt::format(
            "loss_stop_threshold = {:g} does not end the training: it is for losses that cannot be "
            "negative, and this one is {:g}; give a negative one, which is met from above",
            threshold, last_loss_);
    }
    if (highest_loss_ < threshold) {
        return fmt::format(
            "loss_stop_threshold = {:g} does not end the training: it is met from above, and no "
            "loss was ever above it; give a lower one",
            threshold);
    }
    if (is_far(last_training_loss_)) {
        return fmt::format(
            "loss_stop_threshold = {:g} does not end the training: the loss that judges is {:g}, "
            "but that of the training up to it is {:g}, and began with {:g}; {}",
            threshold, last_loss_, last_training_loss_, first_loss_.value_or(0), kAdvice);
    }
    return "";
}

std::string StopRules::divergence_text() const {
    if (!std::isfinite(last_loss_)) {
        return fmt::format("the training has diverged: its loss is {}; {}", last_loss_, kAdvice);
    }
    const bool is_judged = is_far(last_loss_);
    return fmt::format(
        "the training has diverged: its loss {}is {:g}, and began with {:g}; above {:g} it counts "
        "as diverged (training.terminal_conditions.divergence_factor); {}",
        is_judged ? "" : "up to the last validation ", is_judged ? last_loss_ : last_training_loss_,
        first_loss_.value_or(0), divergence_limit(), kAdvice);
}

Status StopRules::limit(std::uint64_t episodes_done, double seconds) const {
    if (conditions_.episode_limit >= 0 &&
        episodes_done >= static_cast<std::uint64_t>(conditions_.episode_limit)) {
        return Status::kEpisodeLimit;
    }
    if (conditions_.wall_time.seconds > 0 && seconds >= conditions_.wall_time.seconds) {
        return Status::kTimeLimit;
    }
    return Status::kRunning;
}

bool StopRules::is_epoch_limit(std::uint64_t epochs_done) const {
    return conditions_.epoch_limit >= 0 &&
           epochs_done >= static_cast<std::uint64_t>(conditions_.epoch_limit);
}

SavedState StopRules::save() const {
    SavedState saved;
    saved.record = Value::table({{"best_loss", best_},
                                 {run::kLastLoss, last_loss_},
                                 {run::kValidationsWithoutGain, validations_without_gain_},
                                 {"highest_loss", highest_loss_},
                                 {run::kFarOffInARow, far_off_in_a_row_},
                                 {kTrainingLoss, training_loss_},
                                 {kTrainingLosses, training_losses_},
                                 {kLastTrainingLoss, last_training_loss_}});
    if (first_loss_) {
        saved.record.set("first_loss", *first_loss_);
    }
    return saved;
}

void StopRules::restore(const SavedState& saved) {
    best_ = real_in(saved.record, "best_loss");
    last_loss_ = real_in(saved.record, run::kLastLoss);
    validations_without_gain_ = integer_in(saved.record, run::kValidationsWithoutGain);
    first_loss_.reset();
    highest_loss_ = std::isfinite(last_loss_) ? last_loss_ : highest_loss_;
    far_off_in_a_row_ = 0;
    training_loss_ = 0;
    training_losses_ = 0;
    last_training_loss_ = 0;
    if (saved.record.find("highest_loss") == nullptr) {
        return;  // The checkpoint is older than these values.
    }
    highest_loss_ = real_in(saved.record, "highest_loss");
    far_off_in_a_row_ = integer_in(saved.record, run::kFarOffInARow);
    if (saved.record.find("first_loss") != nullptr) {
        first_loss_ = real_in(saved.record, "first_loss");
    }
    if (saved.record.find(kTrainingLoss) != nullptr) {
        training_loss_ = real_in(saved.record, kTrainingLoss);
        training_losses_ = integer_in(saved.record, kTrainingLosses);
        last_training_loss_ = real_in(saved.record, kLastTrainingLoss);
    }
}

void LossProgress::trained(double loss) {
    first_episodes_ += episodes_++ < kFirstEpisodes ? loss : 0;
    epoch_ += loss;
    ++episodes_of_epoch_;
}

void LossProgress::finished_epoch() {
    last_epoch_ =
        std::exchange(epoch_, 0) / static_cast<double>(std::exchange(episodes_of_epoch_, 0));
    first_epoch_ = epochs_++ == 0 ? last_epoch_ : first_epoch_;
}

std::string LossProgress::problem() const {
    if (epochs_ < kMinEpochs || episodes_ < kMinEpisodes) {
        return "";
    }
    const double first = std::min(first_epoch_, first_episodes_ / kFirstEpisodes);
    const bool has_fallen = !(first - last_epoch_ < kMinFall * std::abs(first));  // also for nan
    return has_fallen
               ? ""
               : fmt::format(
                     "hardly anything is learned: the training loss was {:.4g} in the first epoch, "
                     "and is {:.4g} in the last one of {}\n    fix: take another learning rate, "
                     "which `ptprun find-lr EXPERIMENT` finds; standardize inputs and numbers to "
                     "be predicted that are far from 0; and look whether the targets can follow "
                     "from the inputs: `ptprun EXPERIMENT --overfit 1` learns a single batch",
                     first_epoch_, last_epoch_, epochs_);
}

}  // namespace ptp::engine
