// Measures the weights of a training over its sets, with all that goes with it: the progress line,
// the rows in the records and sinks, and the line for a person.

#pragma once

#include "engine/console/progress.hpp"
#include "engine/sinks/sinks.hpp"
#include "engine/stats/records.hpp"
#include "engine/train/evaluation.hpp"
#include "engine/train/measurement.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ptp::engine {

// [main] What it is made of must outlive it.
class Evaluator {
public:
    struct Parts {
        Statistics& statistics;
        std::vector<Picture>& pictures;  // that components have shown since the last row
        Records& records;
        Sinks& sinks;
        Progress& progress;
        Console& console;
        // Runs the batches of the set: evaluate().
        std::function<std::optional<std::vector<Aggregate>>(const Evaluation&)> pass;
        std::vector<std::string> validations = {"validation"};  // their names, by their numbers
        // (optional) What undoes all that passes from now on change in the components.
        std::function<std::function<void()>()> undo = {};
    };

    explicit Evaluator(Parts parts) : parts_(std::move(parts)) {}

    // Of all validation sets, one after the other, or of their beginnings: the one that judges is
    // the last, here and in the records. nullopt if a signal ended it; then nothing has changed.
    // Throws RunError.
    std::optional<std::vector<Measurement>> validate(Evaluation evaluation,
                                                     bool is_partial = false);

    // What an epoch of training has gathered until this episode, and its row.
    struct TrainingEpoch {
        Measurement measured;
        SetPosition position;
        std::vector<Aggregate> aggregates;
    };
    [[nodiscard]] TrainingEpoch training_epoch(Position at);
    void record(const TrainingEpoch& epoch) {
        record(epoch.measured.set, epoch.position, epoch.aggregates);
    }

    // One pass over the test set, with the weights as they are. nullopt if a signal ended it.
    // Throws RunError.
    std::optional<std::vector<Aggregate>> test(Position at);

    // What components have shown since the last row.
    void record_pictures();

    // In the log, and to the person: at once, or with what follows of the same epoch.
    void report(const Measurement& measured, bool is_best, bool has_more = false);

private:
    std::optional<std::vector<Aggregate>> run(Evaluation evaluation, Phase phase,
                                              std::uint64_t batches_before = 0);
    void record(const std::string& set, const SetPosition& position,
                const std::vector<Aggregate>& aggregates);

    const Parts parts_;
};

}  // namespace ptp::engine
