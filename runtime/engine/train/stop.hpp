// The end of a training: the terminal conditions, and which weights are the best so far.

#pragma once

#include "engine/component/saved_state.hpp"
#include "experiment/experiment.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace ptp::engine {

enum class Status {
    kRunning,        // the training continues
    kConverged,      // the loss fell below loss_stop_threshold
    kEarlyStopping,  // early_stop_validations in a row without improvement
    kEpochLimit,
    kEpisodeLimit,
    kTimeLimit,
    kDiverged,    // the loss is far above the first one
    kInterrupted  // a signal
};

// Returns "converged", "early_stopping", ...
std::string_view status_name(Status status);
std::optional<Status> status_from(std::string_view name);

// Returns "the loss fell below 1e-05".
std::string status_text(Status status, const experiment::Training& training);

class StopRules {
public:
    explicit StopRules(const experiment::TerminalConditions& conditions)
        : conditions_(conditions) {}

    // Applies these from now on, also to the last validation, which may not be far off by them.
    void change(const experiment::TerminalConditions& conditions);

    // An episode of training had this loss. The first finite one is the training's initial loss.
    void trained(double loss);

    // Adds the loss of a validation and, if a statistic judges it, that value; smaller is better.
    // Returns true if no previous one was lower or equal.
    bool validated(double loss, std::optional<double> judged = std::nullopt);

    // After validated(): returns kDiverged, kConverged, kEarlyStopping or kRunning. A training has
    // diverged when several validations in a row are far off. A threshold is only met from above: a
    // previous loss was not below it.
    [[nodiscard]] Status judgement() const;

    // Returns whether the last validation, or the training up to it, is far off: not finite, or
    // above divergence_factor times the training's initial loss, or 1 if that is more. A training
    // that ends so has diverged.
    [[nodiscard]] bool is_far_off() const {
        return far_off_in_a_row_ > 0 || is_far(last_training_loss_);
    }
    // Returns how a training has ended that ends for this reason, if any.
    [[nodiscard]] Status if_not_far_off(Status reason) const {
        return reason != Status::kRunning && is_far_off() ? Status::kDiverged : reason;
    }
    // Returns "the training has diverged: ..."; after is_far_off().
    [[nodiscard]] std::string divergence_text() const;

    // Returns why the last validation, below loss_stop_threshold, does not meet it; "" otherwise.
    [[nodiscard]] std::string unmet_threshold() const;

    // Returns kEpisodeLimit, kTimeLimit or kRunning. `seconds` counts from the start of the whole
    // training.
    [[nodiscard]] Status limit(std::uint64_t episodes_done, double seconds) const;

    [[nodiscard]] bool is_epoch_limit(std::uint64_t epochs_done) const;

    // The next validation is the best: the best weights are lost.
    void forget_best() { best_ = std::numeric_limits<double>::infinity(); }

    // Returns the lowest loss, or judged value.
    [[nodiscard]] double best() const { return best_; }

    [[nodiscard]] SavedState save() const;
    void restore(const SavedState& saved);

private:
    [[nodiscard]] double divergence_limit() const;
    [[nodiscard]] bool is_far(double loss) const;
    [[nodiscard]] bool is_below_threshold() const;

    experiment::TerminalConditions conditions_;
    std::optional<double> first_loss_;  // the training's first finite loss
    double highest_loss_ = -std::numeric_limits<double>::infinity();  // the highest finite loss
    std::int64_t far_off_in_a_row_ = 0;
    double best_ = std::numeric_limits<double>::infinity();
    double last_loss_ = std::numeric_limits<double>::infinity();
    double last_training_loss_ = 0;  // the mean between the last two validations, if finite
    double training_loss_ = 0;       // the mean since the last one
    std::int64_t training_losses_ = 0;
    std::int64_t validations_without_gain_ = 0;
};

// The progress of the loss of a training that begins with new weights: it should fall at all.
class LossProgress {
public:
    void trained(double loss);  // of an episode
    void finished_epoch();

    // Returns a warning for a training of several epochs whose last loss is nearly that of the
    // first episodes and of the first epoch; "" otherwise.
    [[nodiscard]] std::string problem() const;

private:
    std::int64_t episodes_ = 0;
    std::int64_t epochs_ = 0;
    std::int64_t episodes_of_epoch_ = 0;
    double epoch_ = 0;           // the sum of the losses of this epoch
    double first_episodes_ = 0;  // the sum of their losses
    double first_epoch_ = 0;     // the mean
    double last_epoch_ = 0;
};

}  // namespace ptp::engine
