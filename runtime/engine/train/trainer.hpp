// Trains until a terminal condition holds, with the offline or the online worker; keeps checkpoints
// from which it can continue with the same bits.
//
// Both run episodes, epoch after epoch. The offline worker validates the whole set at the end of an
// epoch and judges the model by that; the online worker judges it by one batch of the validation
// set every few episodes, and validates the whole set once, at the end.

#pragma once

#include "base/stopwatch.hpp"
#include "engine/checkpoint/checkpoints.hpp"
#include "engine/data/pass.hpp"
#include "engine/output/progress.hpp"
#include "engine/output/sinks.hpp"
#include "engine/statistics/records.hpp"
#include "engine/train/checkpointer.hpp"
#include "engine/train/evaluator.hpp"
#include "engine/train/live_training.hpp"
#include "engine/train/session.hpp"
#include "engine/train/status_file.hpp"
#include "engine/train/stop.hpp"
#include "engine/train/trainer_state.hpp"
#include "engine/train/training_controls.hpp"
#include "engine/train/training_episode.hpp"
#include "engine/train/validator.hpp"

#include <spdlog/logger.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ptp::engine {

struct TrainerParts {
    Session& session;
    Checkpoints& checkpoints;
    Records& records;
    Sinks& sinks;
    StatusFile& status;
    Console& console;
    spdlog::logger& log;
    LiveHooks live;
    run::CheckpointRecord facts;       // the facts about the run in every checkpoint
    std::string shown_statistic = {};  // beside the loss in the live line; "": the first one
    std::uint64_t stop_after = 0;      // see RunRequest
    std::uint64_t stop_after_episodes = 0;
};

// [main]
class Trainer {
public:
    // Throws RunError for an unknown statistic to show.
    explicit Trainer(const TrainerParts& parts);
    ~Trainer() = default;
    Trainer(const Trainer&) = delete;
    Trainer& operator=(const Trainer&) = delete;

    // Continues from the checkpoint in this folder, after N seconds of training or the number in
    // the checkpoint. Called before train(). Throws RunError.
    void restore(const std::filesystem::path& checkpoint, double seconds);

    // Begins from the start: a new run, or one whose folder has no checkpoint yet.
    void begin() { parts_.live.begin(0, 0); }
    void restart();

    // Trains to the end; returns at once if the restored training had ended. Throws RunError.
    Status train();

    // After train(): makes a pass over the test set with the best weights. Returns nullopt if a
    // signal ended it.
    std::optional<std::vector<Aggregate>> test() { return validator_.test(parts_.checkpoints); }

    // Returns the best measurement so far; its set is empty if there is none yet.
    [[nodiscard]] const Measurement& best() const { return state_.best; }

    [[nodiscard]] std::uint64_t episodes_done() const { return state_.episodes_done; }

    // Returns how far off the loss is, after train() returned kDiverged.
    [[nodiscard]] std::string divergence_text() const { return stop_.divergence_text(); }

private:
    Checkpointer::Parts checkpointer_parts();
    TrainingControls::Parts control_parts();

    // Returns whether the experiment changes before the next episode; not before an epoch ends.
    [[nodiscard]] bool has_change() const {
        return state_.batches_done < session_.training->batch_count() &&
               parts_.live.has_change(state_.episodes_done);
    }

    // Each returns what ended the training: nothing, a condition, or a signal.
    Status train_to_end();
    Status run_epoch();
    Status between_episodes();
    Status finish_epoch(Status reason);
    Status finish_training();
    Status validate_partly();
    Status live(bool has_pass);
    // Returns nullopt if it must be rolled back, or begin a new pass from here.
    std::optional<Status> run_batches();
    Status before_batch();

    bool next_batch(Pass& pass);
    [[nodiscard]] RankNotes notes() const;
    [[nodiscard]] int signal() const;
    [[nodiscard]] double seconds() const;
    [[nodiscard]] bool is_far_enough() const;
    void roll_back();

    TrainerParts parts_;
    Session& session_;
    TrainerState state_;
    StopRules stop_;
    std::optional<std::size_t> shown_statistic_;  // a column
    Progress progress_;
    TrainingEpisode episode_;
    Stopwatch time_;  // of training, including processes that this one continues
    Evaluator evaluator_;
    Validator validator_;
    Checkpointer checkpointer_;
    TrainingControls controls_;
    bool needs_new_pass_ = false;  // to exchange the task
};

}  // namespace ptp::engine
