// The implementation of requests to a running training: see live_training.hpp.

#pragma once

#include "base/stopwatch.hpp"
#include "engine/optimizer/optimization.hpp"
#include "engine/output/progress.hpp"
#include "engine/statistics/statistics.hpp"
#include "engine/train/evaluation.hpp"
#include "engine/train/live_training.hpp"
#include "engine/train/measurement.hpp"
#include "engine/train/stop.hpp"
#include "engine/train/trainer_state.hpp"
#include "experiment/experiment.hpp"

#include <spdlog/logger.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ptp::engine {

// [main] Its parts must outlive it.
class TrainingControls : public LiveTraining {
public:
    // Actions of other parts of the training. All may throw RunError.
    struct Actions {
        std::function<Optimization&()> optimization;  // the one in use: a swap may replace it
        std::function<std::uint64_t()> batches_per_epoch;
        std::function<void()> rebind;  // trains the currently active components
        std::function<void(Status)> save;
        std::function<void()> forget_best;
        // (optional) Evaluator::validate(), if the experiment has a validation set.
        std::function<std::optional<std::vector<Measurement>>(const Evaluation&)> validate;
    };

    struct Parts {
        const experiment::Experiment& experiment;
        Actions actions;
        const Statistics& statistics;
        TrainerState& state;
        StopRules& stop;
        Progress& progress;
        const Stopwatch& time;  // measures the training
        spdlog::logger& log;
    };

    explicit TrainingControls(Parts parts) : parts_(std::move(parts)) {}

    // Applies the experiment's current terminal conditions.
    void resume_limits();

    [[nodiscard]] TrainingPosition next_position() const override {
        return parts_.state.next_position();
    }
    [[nodiscard]] Value standing() const override;
    void swapped(bool has_other_tensors) override;
    void experiment_changed() override;
    void save_now() override { parts_.actions.save(parts_.state.status); }
    std::optional<std::string> validate_now() override;
    [[nodiscard]] std::string no_validation() const override;
    void set_learning_rate(double rate, const std::string& group) override {
        parts_.actions.optimization().set_learning_rate(rate, group);
    }
    void check_group(const std::string& group) const override {
        parts_.actions.optimization().check_group(group);
    }

private:
    void add_numbers(Value& table) const;
    [[nodiscard]] Status due_status() const;

    const Parts parts_;
};

}  // namespace ptp::engine
