// When a training ends: the terminal conditions, and which weights are the best so far.

#pragma once

#include "config/experiment.hpp"
#include "engine/checkpoint/saved_state.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace ptp::engine {

enum class Status {
    kNotConverged,   // the training goes on
    kConverged,      // the loss fell below loss_stop_threshold
    kEarlyStopping,  // early_stop_validations in a row brought nothing better
    kEpochLimit,
    kEpisodeLimit,
    kTimeLimit,
    kInterrupted  // a signal
};

// "converged", "early_stopping", ...
std::string_view status_name(Status status);
std::optional<Status> status_from(std::string_view name);

// "the loss fell below 1e-05".
std::string status_text(Status status, const config::TerminalConditions& conditions);

class StopRules {
public:
    explicit StopRules(const config::TerminalConditions& conditions) : conditions_(conditions) {}

    // A validation has given this loss. True if no other was lower or equal.
    bool validated(double loss);

    // After validated(): kConverged, kEarlyStopping or kNotConverged.
    [[nodiscard]] Status judgement() const;

    // kEpisodeLimit, kTimeLimit or kNotConverged. `seconds` are those of the whole training.
    [[nodiscard]] Status limit(std::uint64_t episodes_done, double seconds) const;

    [[nodiscard]] bool is_epoch_limit(std::uint64_t epochs_done) const;

    // The next validation is the best: the weights of the best one are gone.
    void forget_best() { best_loss_ = std::numeric_limits<double>::infinity(); }

    [[nodiscard]] double best_loss() const { return best_loss_; }

    [[nodiscard]] SavedState save() const;
    void restore(const SavedState& saved);

private:
    config::TerminalConditions conditions_;
    double best_loss_ = std::numeric_limits<double>::infinity();
    double last_loss_ = std::numeric_limits<double>::infinity();
    std::int64_t validations_without_gain_ = 0;
};

}  // namespace ptp::engine
