// Trains until a terminal condition holds, as the offline or the online worker; keeps checkpoints
// from which it can go on with the same bits.
//
// Both run episodes, epoch after epoch. The offline worker validates the whole set at the end of an
// epoch and judges the model by that; the online worker judges it by one batch of the validation
// set every few episodes, and validates the whole set once, at the end.

#pragma once

#include "base/stopwatch.hpp"
#include "base/value.hpp"
#include "engine/checkpoint/checkpoints.hpp"
#include "engine/console/progress.hpp"
#include "engine/data/pass.hpp"
#include "engine/sinks/sinks.hpp"
#include "engine/stats/records.hpp"
#include "engine/swap/live_control.hpp"
#include "engine/swap/live_training.hpp"
#include "engine/train/evaluate.hpp"
#include "engine/train/measurement.hpp"
#include "engine/train/session.hpp"
#include "engine/train/status_file.hpp"
#include "engine/train/stop.hpp"
#include "engine/train/training_step.hpp"

#include <spdlog/logger.h>

#include <cstdint>
#include <optional>
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
    LiveControl& live;
    Value facts;                       // what every checkpoint's record begins with
    std::string shown_statistic = {};  // beside the loss in the live line; "": the first there is
};

// The column that is shown beside the loss: that of a name, or the first there is. Throws RunError
// for a name that there is not.
std::optional<std::size_t> statistic_to_show(const Session& session, const std::string& name);

ProgressSetup progress_setup(const Session& session, std::optional<std::size_t> statistic);

// [main]
class Trainer : private LiveTraining {
public:
    explicit Trainer(const TrainerParts& parts);

    // Takes up the training where the checkpoint in this folder left it, after so many seconds of
    // training or as many as the checkpoint knows of. It does only if a limit of time makes them part
    // of the state: two equal runs have equal checkpoints otherwise. Before train(). Throws RunError.
    void restore(const std::filesystem::path& checkpoint, double seconds);

    // Begins from the start, in the folder of a run that has no checkpoint.
    void restart();

    // Trains to the end; at once over where the restored training had ended. Throws RunError.
    Status train();

    // After train(): one pass over the test set with the best weights. nullopt if a signal ended
    // it.
    std::optional<std::vector<Aggregate>> test();

    [[nodiscard]] std::uint64_t episodes_done() const { return episodes_done_; }

    // How far off the loss is, where train() gave kDiverged.
    [[nodiscard]] std::string divergence_text() const { return stop_.divergence_text(); }

private:
    [[nodiscard]] bool is_online() const;
    [[nodiscard]] Position last_position() const;  // of the last episode that is done
    [[nodiscard]] std::uint64_t epochs_begun() const {
        return epoch_ + (batches_done_ > 0 ? 1 : 0);
    }

    void add_numbers(Value& table) const;

    // Of LiveTraining.
    [[nodiscard]] TrainingPosition next_position() const override;
    [[nodiscard]] Value standing() const override;
    void swapped(bool has_other_tensors) override;
    void experiment_changed() override;
    void save_now() override;
    std::optional<std::string> validate_now() override;
    [[nodiscard]] std::string no_validation() const override;
    void set_learning_rate(double rate, const std::string& group) override;
    void check_group(const std::string& group) const override;

    // Each gives what ended the training: nothing, a condition, or a signal.
    Status train_to_end();
    Status run_epoch();
    Status between_episodes();
    Status finish_epoch(Status reason);
    Status finish_training();
    Status validate_partly();
    std::optional<Measurement> measure_epoch();

    // nullopt: it must be rolled back, or begin a new pass where it is.
    std::optional<Status> run_batches();
    Status live(bool has_pass);
    // The experiment's terminal conditions, which may have changed since it was made.
    void resume_limits();
    // Whether the experiment changes before the next episode; not before an epoch is at its end.
    [[nodiscard]] bool has_change() const;
    // What the conditions say of where the training is, but for limits of episodes and of time.
    [[nodiscard]] Status due_status() const;
    StepOutcome run_episode(const Pass& pass);
    StepOutcome train_step(Position at);
    void roll_back();
    bool next_batch(Pass& pass);
    void record_pictures();
    void record(Table table, const SetPosition& position, const std::vector<Aggregate>& aggregates);

    // nullopt if a signal ended it; then nothing has changed.
    std::optional<Measurement> validate(const Evaluation& evaluation, Table table);

    // The model has been measured; gives whether it is the best so far.
    bool judge(const Measurement& measured);
    // In the log, and to the person: at once, or with what follows of the same epoch.
    void say(const Measurement& measured, bool is_best, bool has_more = false);

    // The same pass, with each of its batches shown.
    Evaluation with_progress(Evaluation evaluation, Phase phase);
    [[nodiscard]] double shown_value() const;

    [[nodiscard]] bool is_checkpoint_due() const;
    void save(Status status, bool is_best);
    // A limit ends the training here: from this checkpoint it continues if the limit is raised.
    void save_before_limit();
    [[nodiscard]] Value checkpoint_record(Status status, const Measurement& latest) const;
    [[nodiscard]] SavedState state();
    void restore_state(const std::filesystem::path& checkpoint);

    TrainerParts parts_;
    Session& session_;
    StopRules stop_;
    std::optional<std::size_t> shown_statistic_;  // a column
    Progress progress_;
    TrainingStep step_;
    Stopwatch training_time_;   // of this process and the ones it continues from
    double saved_seconds_ = 0;  // of training_time_, as the checkpoint that was restored has it
    Stopwatch since_save_;      // of this process
    Status status_ = Status::kRunning;
    std::uint64_t epoch_ = 0;
    std::uint64_t batches_done_ = 0;  // of this epoch
    std::uint64_t episodes_done_ = 0;
    std::uint64_t partly_validated_ = 0;  // episodes done at the last partial validation
    std::uint64_t saved_ = 0;             // episodes done at the last checkpoint
    std::uint64_t best_saved_ = 0;        // and at the best one; 0: there is none
    bool has_told_of_threshold_ = false;  // that it does not count
    bool is_saved_before_limit_ = false;
    bool needs_new_pass_ = false;  // to exchange the task
    double waited_ = 0;            // for batches of this pass before the last
    Measurement last_;
    Measurement best_;
};

}  // namespace ptp::engine
