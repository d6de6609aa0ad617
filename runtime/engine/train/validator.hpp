// The validations of a training, which determine the best weights, and which the stop rules and the
// learning-rate schedule follow.

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

// [main] Its parts must outlive it. All evaluations throw RunError.
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

    // Returns whether partial validations judge the model, not those at the end of an epoch.
    [[nodiscard]] bool is_online() const;

    // Called at the end of an epoch: returns the measurement by which the offline worker judges,
    // and adds the rows of all sets to the records once nothing can interrupt it any more. Returns
    // nullopt if a signal ended it.
    std::optional<Measurement> measure_epoch();

    // Validates always on the same batch of each set, so that the values can be compared. Returns
    // whether the weights are the best so far by that, or nullopt if a signal ended it.
    std::optional<bool> validate_partly();

    // Validates the whole sets, which judge nothing. Returns false if a signal ended it.
    bool validate();

    // Judges the measured model; returns whether it is the best so far.
    bool judge(const Measurement& measured);

    // Makes a pass over the test set with the best weights, or the last ones if there are none,
    // which the session has from then on. Returns nullopt if a signal ended it.
    std::optional<std::vector<Aggregate>> test(const Checkpoints& checkpoints);

private:
    // Reports the validation sets that do not judge.
    void report_others(const std::vector<Measurement>& validated);

    // Compares by the loss, or by the statistic that the experiment names.
    bool is_best_so_far(const Measurement& measured);

    const Parts parts_;
    bool has_told_of_threshold_ = false;  // that the threshold is not met
};

}  // namespace ptp::engine
