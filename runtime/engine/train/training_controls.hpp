// What a running training does when it is asked to: see live_training.hpp.

#pragma once

#include "engine/console/progress.hpp"
#include "engine/train/checkpointer.hpp"
#include "engine/train/evaluator.hpp"
#include "engine/train/live_training.hpp"
#include "engine/train/session.hpp"
#include "engine/train/stop.hpp"
#include "engine/train/trainer_state.hpp"
#include "engine/train/training_episode.hpp"

#include <spdlog/logger.h>

#include <optional>
#include <string>

namespace ptp::engine {

// [main] What it is made of must outlive it.
class TrainingControls : public LiveTraining {
public:
    struct Parts {
        Session& session;
        TrainerState& state;
        StopRules& stop;
        Progress& progress;
        TrainingEpisode& episode;
        Evaluator& evaluator;
        Checkpointer& checkpointer;
        const Stopwatch& time;  // of training
        spdlog::logger& log;
    };

    explicit TrainingControls(const Parts& parts) : parts_(parts) {}

    // The experiment's terminal conditions count as they are by now.
    void resume_limits();

    [[nodiscard]] TrainingPosition next_position() const override {
        return parts_.state.next_position();
    }
    [[nodiscard]] Value standing() const override;
    void swapped(bool has_other_tensors) override;
    void experiment_changed() override;
    void save_now() override { parts_.checkpointer.save(parts_.state.status, false); }
    std::optional<std::string> validate_now() override;
    [[nodiscard]] std::string no_validation() const override;
    void set_learning_rate(double rate, const std::string& group) override {
        parts_.session.optimization->set_learning_rate(rate, group);
    }
    void check_group(const std::string& group) const override {
        parts_.session.optimization->check_group(group);
    }

private:
    void add_numbers(Value& table) const;
    [[nodiscard]] Status due_status() const;

    const Parts parts_;
};

}  // namespace ptp::engine
