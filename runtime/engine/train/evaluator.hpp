// Measures the weights of a training over its sets, with all that goes with it: the progress line,
// the rows in the records and sinks, and the line for a person.

#pragma once

#include "engine/console/progress.hpp"
#include "engine/sinks/sinks.hpp"
#include "engine/stats/records.hpp"
#include "engine/train/measurement.hpp"
#include "engine/train/session.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace ptp::engine {

// One pass, or its beginning.
struct Evaluation {
    StatisticSet set = kValidationSet;
    Position position;        // of the training
    std::uint64_t epoch = 0;  // whose order the samples have
    std::uint64_t max_batches = UINT64_MAX;
    // (optional) After each batch: how many are done, of how many.
    std::function<void(std::uint64_t done, std::uint64_t count)> on_batch = {};
};

// [main] What it is made of must outlive it.
class Evaluator {
public:
    struct Parts {
        Session& session;
        Records& records;
        Sinks& sinks;
        Progress& progress;
        Console& console;
    };

    explicit Evaluator(const Parts& parts) : parts_(parts) {}

    // Of the validation set, or its beginning. nullopt if a signal ended it; then nothing has
    // changed. Throws RunError.
    std::optional<Measurement> validate(const Evaluation& evaluation, Table table);

    // What an epoch of training has gathered until this episode, and its row.
    struct TrainingEpoch {
        Measurement measured;
        SetPosition position;
        std::vector<Aggregate> aggregates;
    };
    [[nodiscard]] TrainingEpoch training_epoch(Position at);
    void record(const TrainingEpoch& epoch) {
        record(Table::kTrainingEpochs, epoch.position, epoch.aggregates);
    }

    // One pass over the test set, with the weights as they are. nullopt if a signal ended it.
    // Throws RunError.
    std::optional<std::vector<Aggregate>> test(Position at);

    // What components have shown since the last row.
    void record_pictures();

    // In the log, and to the person: at once, or with what follows of the same epoch.
    void report(const Measurement& measured, bool is_best, bool has_more = false);

private:
    std::optional<std::vector<Aggregate>> run(BatchSource& source, Evaluation evaluation,
                                              Phase phase);
    void record(Table table, const SetPosition& position, const std::vector<Aggregate>& aggregates);

    const Parts parts_;
};

}  // namespace ptp::engine
