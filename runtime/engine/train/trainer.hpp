// The offline trainer: epochs over the training set, a validation after each, until a terminal
// condition holds.

#pragma once

#include "config/value.hpp"
#include "engine/train/progress.hpp"
#include "engine/train/records.hpp"
#include "engine/train/run_folder.hpp"
#include "engine/train/session.hpp"
#include "engine/train/stop.hpp"
#include "engine/train/training_step.hpp"

#include <spdlog/logger.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace ptp::engine {

struct TrainerParts {
    Session& session;
    const RunFolder& folder;
    Records& records;
    Console& console;
    spdlog::logger& log;
    config::Value facts;  // what every checkpoint's record begins with
};

// [main]
class Trainer {
public:
    explicit Trainer(const TrainerParts& parts);

    // Trains to the end, keeping the checkpoints `last` and `best`. Throws RunError.
    Status train();

    // After train(): one pass over the test set with the best weights. nullopt if a signal ended
    // it.
    std::optional<std::vector<Aggregate>> test();

    // At the end of a run: all rows are on the disk when it returns. Throws RunError.
    void close_records() { parts_.records.finish(); }

    // Where the training ended.
    [[nodiscard]] Position position() const { return {episodes_done_ - 1, epoch_}; }
    [[nodiscard]] double best_loss() const { return stop_.best_loss(); }

private:
    // What a checkpoint says of its weights.
    struct Measured {
        const char* set;  // over which this was measured: "training" or "validation"
        double loss;
        std::vector<Aggregate> aggregates;
    };

    // What ended an epoch: nothing, a limit, or a signal.
    Status run_epoch();
    Status finish_epoch(Status reason);
    void say_epoch(const char* set, const std::vector<Aggregate>& aggregates, bool is_best);
    void save(const std::filesystem::path& folder, Status status, const Measured& measured);

    TrainerParts parts_;
    Session& session_;
    StopRules stop_;
    Progress progress_;
    TrainingStep step_;
    std::uint64_t epoch_ = 0;
    std::uint64_t episodes_done_ = 0;
};

}  // namespace ptp::engine
