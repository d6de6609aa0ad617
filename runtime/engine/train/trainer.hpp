// Trains until a terminal condition holds, with the offline or the online worker; keeps checkpoints
// from which it can continue with the same bits.
//
// Both run episodes, epoch after epoch. The offline worker validates the whole set at the end of an
// epoch and judges the model by that; the online worker judges it by one batch of the validation
// set every few episodes, and validates the whole set once, at the end.
//
// In this folder a step is one of the optimizer, and a pass goes over the batches of a set; those
// through the components are written out: forward pass, backward pass.

#pragma once

#include "engine/data/pass.hpp"
#include "engine/train/checkpointer.hpp"
#include "engine/train/live_training.hpp"
#include "engine/train/trainer_context.hpp"
#include "engine/train/training_episode.hpp"
#include "engine/train/validator.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ptp::engine {

// [main] The parts must outlive it.
class Trainer final : public LiveTraining {
public:
    // Throws RunError for an unknown statistic to show.
    explicit Trainer(const TrainerParts& parts);
    ~Trainer() override = default;
    Trainer(const Trainer&) = delete;
    Trainer& operator=(const Trainer&) = delete;

    // Continues from the checkpoint in this folder, after N seconds of training or the number in
    // the checkpoint. Called before train(). Throws RunError.
    void restore(const std::filesystem::path& checkpoint, double seconds) {
        checkpointer_.restore(checkpoint, seconds);
    }

    // Begins from the start: a new run, or one whose folder has no checkpoint yet.
    void begin() { context_.live.begin(0, 0); }
    void restart();

    // Trains to the end; returns at once if the restored training had ended. Throws RunError.
    Status train();

    // After train(): makes a pass over the test set with the best weights. Returns nullopt if a
    // signal ended it.
    std::optional<std::vector<Aggregate>> test() { return validator_.test(); }

    // Returns the best measurement so far; its set is empty if there is none yet.
    [[nodiscard]] const run::Measurement& best() const { return context_.state.best; }

    [[nodiscard]] std::uint64_t episodes_done() const { return context_.state.episodes_done; }
    [[nodiscard]] std::uint64_t epoch_number() const { return context_.state.epoch + 1; }

    // After train() returned kDiverged: describes the loss.
    [[nodiscard]] std::string divergence_text() const { return context_.stop.divergence_text(); }

    // Requests between two episodes: defined in trainer_requests.cpp.
    [[nodiscard]] TrainingPosition next_position() const override {
        return context_.state.next_position();
    }
    [[nodiscard]] Value status() const override;
    void swapped(bool has_other_tensors) override;
    void experiment_changed() override;
    void save_now() override { checkpointer_.save(context_.state.status(), false); }
    std::optional<std::string> validate_now() override;
    [[nodiscard]] std::string no_validation() const override;
    void set_learning_rate(double rate, const std::string& group) override;
    void check_group(const std::string& group) const override;

private:
    // The end of a pass over the batches of an epoch: the end of the epoch too, or a place from
    // which another pass continues it.
    enum class PassEnd {
        kEpoch,     // there are no more batches, or a condition or a signal ended the training
        kRollback,  // a step has diverged, so that the training is to be rolled back
        kNewPass    // the task is to be exchanged, which no pass may be over
    };
    struct EndedPass {
        PassEnd end = PassEnd::kEpoch;
        Status status = Status::kRunning;  // what ended the training
    };

    // Each returns what ended the training: nothing, a condition, or a signal.
    Status train_to_end();
    Status run_epoch();
    Status between_episodes();
    Status finish_epoch(Status reason);
    Status finish_training();
    Status validate_partly();
    EndedPass run_pass();
    // Returns nullopt if the pass continues.
    std::optional<EndedPass> before_batch();
    Boundary serve_requests(bool has_pass);

    StepOutcome train_batch(const Pass& pass, Position at, double wait_seconds);
    void forward(Position at, const Pass& pass);
    [[nodiscard]] bool has_model_file() const { return !context_.model_file.empty(); }
    void look(Position at);
    void record(Position at, bool has_learned);
    bool fetch(Pass& pass);
    void roll_back();
    // Returns whether the experiment changes before the next episode; not before an epoch ends.
    [[nodiscard]] bool has_change() const;
    [[nodiscard]] bool has_batch() const;
    [[nodiscard]] bool is_far_enough() const;

    TrainerContext context_;
    TrainingSession& session_;
    TrainingEpisode episode_;
    Validator validator_;
    Checkpointer checkpointer_;
    std::optional<LossProgress> progress_;  // of a training from the beginning with new weights
    bool are_facts_due_ = false;            // of the model, in the next episode
};

}  // namespace ptp::engine
