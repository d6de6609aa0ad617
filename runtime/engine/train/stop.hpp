// When a training ends: the terminal conditions, and which weights are the best so far.

#pragma once

#include "config/experiment.hpp"

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace ptp::engine {

enum class Status {
    kNotConverged,   // the training goes on
    kConverged,      // the loss of the whole set fell below loss_stop_threshold
    kEarlyStopping,  // early_stop_validations in a row brought nothing better
    kEpochLimit,
    kEpisodeLimit,
    kInterrupted  // a signal
};

// "converged", "early_stopping", ...
std::string_view status_name(Status status);

// "the loss fell below 1e-05".
std::string status_text(Status status, const config::TerminalConditions& conditions);

class StopRules {
public:
    explicit StopRules(const config::TerminalConditions& conditions) : conditions_(conditions) {}

    // A validation has given this loss. True if no other was lower or equal.
    bool validated(double loss);

    // Whether the limit is reached when so many episodes are done.
    [[nodiscard]] bool is_episode_limit(std::uint64_t episodes_done) const;

    // At the end of an epoch, after its validation.
    [[nodiscard]] Status after_epoch(std::uint64_t epochs_done) const;

    [[nodiscard]] double best_loss() const { return best_loss_; }

private:
    config::TerminalConditions conditions_;
    double best_loss_ = std::numeric_limits<double>::infinity();
    double last_loss_ = std::numeric_limits<double>::infinity();
    std::int64_t validations_without_gain_ = 0;
};

}  // namespace ptp::engine
