// The validations of a training: what they measure decides which weights are the best, and is what
// the stop rules and the schedule of the learning rate follow.

#pragma once

#include "engine/checkpoint/checkpoints.hpp"
#include "engine/train/evaluator.hpp"
#include "engine/train/session.hpp"
#include "engine/train/stop.hpp"
#include "engine/train/trainer_state.hpp"

#include <spdlog/logger.h>

#include <optional>
#include <vector>

namespace ptp::engine {

// [main] What it is made of must outlive it. All that measures throws RunError.
class Validator {
public:
    struct Parts {
        Session& session;
        Evaluator& evaluator;
        StopRules& stop;
        TrainerState& state;
        spdlog::logger& log;
    };

    explicit Validator(const Parts& parts) : parts_(parts) {}

    // Whether partial validations judge the model, not those at the end of an epoch.
    [[nodiscard]] bool is_online() const;

    // At the end of an epoch: what the offline worker judges by, and the rows of all sets in the
    // records, which are added when nothing can interrupt it any more. nullopt if a signal ended
    // it.
    std::optional<Measurement> measure_epoch();

    // Always on the same batch of each set, so that the values can be compared. Whether the weights
    // are the best so far by that; nullopt if a signal ended it.
    std::optional<bool> validate_partly();

    // The whole sets, which judge nothing. False if a signal ended it.
    bool validate();

    // The model has been measured; returns whether it is the best so far.
    bool judge(const Measurement& measured);

    // One pass over the test set with the best weights, or the last ones where there are none,
    // which the session has from then on. nullopt if a signal ended it.
    std::optional<std::vector<Aggregate>> test(const Checkpoints& checkpoints);

private:
    // Of the validation sets that do not judge.
    void report_others(const std::vector<Measurement>& validated);

    // By the loss, or by the statistic that the experiment names.
    bool is_best_so_far(const Measurement& measured);

    const Parts parts_;
    bool has_told_of_threshold_ = false;  // that it does not count
};

}  // namespace ptp::engine
