// Evaluates the weights of a training on its sets, including the progress line, the rows in the
// records and sinks, and the line for the user.

#pragma once

#include "engine/output/progress.hpp"
#include "engine/output/sinks.hpp"
#include "engine/statistics/records.hpp"
#include "engine/train/evaluation.hpp"
#include "engine/train/measurement.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ptp::engine {

// [main] Its parts must outlive it.
class Evaluator {
public:
    struct Parts {
        Statistics& statistics;
        std::vector<Picture>& pictures;  // shown since the last row
        Records& records;
        Sinks& sinks;
        Progress& progress;
        Console& console;
        // Runs the batches of the set: evaluate().
        std::function<std::optional<std::vector<Aggregate>>(const Evaluation&)> pass;
        std::vector<std::string> validations = {"validation"};  // their names, by number
        // (optional) Returns a function that undoes the changes of all later passes in the
        // components.
        std::function<std::function<void()>()> undo = {};
    };

    explicit Evaluator(Parts parts) : parts_(std::move(parts)) {}

    // Evaluates all validation sets, one after the other, or their first batches: the one that
    // judges is the last, here and in the records. Returns nullopt if a signal ended it; then
    // nothing has changed. Throws RunError.
    std::optional<std::vector<Measurement>> validate(Evaluation evaluation,
                                                     bool is_partial = false);

    // The values and the row of a training epoch up to this episode.
    struct TrainingEpoch {
        Measurement measured;
        SetPosition position;
        std::vector<Aggregate> aggregates;
    };
    [[nodiscard]] TrainingEpoch training_epoch(Position at);
    void record(const TrainingEpoch& epoch) {
        record(epoch.measured.set, epoch.position, epoch.aggregates);
    }

    // Makes a pass over the test set with the current weights. Returns nullopt if a signal ended
    // it. Throws RunError.
    std::optional<std::vector<Aggregate>> test(Position at);

    // Records the pictures that components have shown since the last row.
    void record_pictures();

    // Reports to the log and to the user, at once, or with the next measurement of the same epoch.
    void report(const Measurement& measured, bool is_best, bool has_more = false);

private:
    std::optional<std::vector<Aggregate>> run(Evaluation evaluation, Phase phase,
                                              std::uint64_t batches_before = 0);
    void record(const std::string& set, const SetPosition& position,
                const std::vector<Aggregate>& aggregates);

    const Parts parts_;
};

}  // namespace ptp::engine
