// The context of a trainer, its validator and its checkpointer: the parts of the run, and how far
// the training is.

#pragma once

#include "base/stopwatch.hpp"
#include "engine/checkpoint/checkpoint_folder.hpp"
#include "engine/output/progress.hpp"
#include "engine/output/sinks.hpp"
#include "engine/statistics/records.hpp"
#include "engine/train/checkpoint_policy.hpp"
#include "engine/train/live_training.hpp"
#include "engine/train/status_file.hpp"
#include "engine/train/stop.hpp"
#include "engine/train/trainer_progress.hpp"
#include "engine/train/training_session.hpp"
#include "pipeline/plan.hpp"
#include "run/checkpoint_record.hpp"
#include "run/events.hpp"

#include <spdlog/logger.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

namespace ptp::engine {

struct TrainerParts {
    TrainingSession& session;
    CheckpointFolder& checkpoints;
    Records& records;
    Sinks& sinks;
    StatusFile& status;
    Console& console;
    spdlog::logger& log;
    LiveRequests& live;
    run::CheckpointRecord facts;       // the facts about the run in every checkpoint
    EpisodeWait* wait = nullptr;       // (optional)
    std::string shown_statistic = {};  // beside the loss in the progress line; "": the first one
    std::uint64_t stop_after = 0;      // see RunRequest
    std::uint64_t stop_after_episodes = 0;
    std::uint64_t epochs_before_stop = 0;
    run::EventLog* events = nullptr;        // (optional)
    std::filesystem::path model_file = {};  // for the ModelFacts of the first episode; "": none
    const pipeline::Plan* plan = nullptr;   // for them
};

// [main] The parts must outlive it.
struct TrainerContext : TrainerParts, OwnNotes {
    // Throws RunError for an unknown statistic to show.
    explicit TrainerContext(const TrainerParts& parts);

    // Returns whether partial validations judge the model, not those at the end of an epoch.
    [[nodiscard]] bool is_online() const;
    // Returns whether a loss that is not finite makes the training go back to its last checkpoint.
    [[nodiscard]] bool may_roll_back() const;

    // Applies the experiment's current terminal conditions.
    void resume_limits();

    // Returns the status by all conditions except the limits of episodes and of time.
    [[nodiscard]] Status due_status() const;

    // Returns the seconds of training; the same in all processes.
    [[nodiscard]] double seconds() const { return session.collective.agreed().seconds; }

    // Sends the pictures that components have shown to the sinks.
    void send_pictures() {
        sinks.pictures(session.pictures);
        session.pictures.clear();
    }

    // The notes for other processes.
    [[nodiscard]] RankNotes notes() const override;
    [[nodiscard]] bool has_request() const override { return live.has_request(); }

    // Notes what has happened to the training at this position.
    void note(const char* event, Position at, Value details = Value::table()) {
        if (events == nullptr) {
            return;
        }
        const std::string warning =
            events->add({event, at.episode, at.epoch_number(), std::move(details)});
        if (!warning.empty()) {
            log.warn(warning);
        }
    }

    TrainerProgress state;
    StopRules stop;
    CheckpointPolicy policy;
    std::optional<std::size_t> shown_column;  // of the statistic to show
    Progress progress;
    Stopwatch time;  // of training, including processes that this one continues
};

}  // namespace ptp::engine
