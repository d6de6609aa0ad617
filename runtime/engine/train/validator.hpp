// The validations of a training, and its test. Validations determine the best weights; the stop
// rules and the learning-rate schedule follow them. Each pass shows its progress, writes a row to
// the records and sinks, and prints a line for the user.

#pragma once

#include "engine/output/progress.hpp"
#include "engine/statistics/records.hpp"
#include "engine/statistics/statistics.hpp"
#include "engine/train/measurement.hpp"
#include "engine/train/trainer_context.hpp"
#include "engine/train/training_session.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ptp::engine {

// One pass over a set, or its beginning.
struct Evaluation {
    StatisticSet set = kValidationSet;
    Position position;        // of the training
    std::uint64_t epoch = 0;  // decides the order of the samples
    std::uint64_t max_batches = UINT64_MAX;
    std::size_t number = 0;   // the validation set's: 0 is the one that judges
    bool ends_epoch = false;  // `epoch`: records may leave out this pass, but not another whole one
};

// The observers of each batch of a pass.
struct Observers {
    Progress* progress = nullptr;  // (optional)
    Sinks* sinks = nullptr;        // (optional)
};

// Evaluates without gradients, with dropout off and batch normalization frozen, and with the
// averages of the weights if the training has them. The components are back in training mode when
// it returns. Returns nullopt if a signal ended the pass early; a validation then leaves no trace
// in the session. A validation set that does not judge restores the random generators except those
// of its task, so that it changes nothing for the training and the other sets. The session must
// have the set. [main] Throws RunError, with kDiverged for
// a loss that is not finite.
std::optional<std::vector<Aggregate>> evaluate(TrainingSession& session,
                                               const Evaluation& evaluation,
                                               const Observers& observers = {});

// [main] The training must outlive it. All evaluations throw RunError.
class Validator {
public:
    explicit Validator(TrainerContext& context)
        : context_(context), sets_(context.session.validation_names()) {}

    // Called at the end of an epoch: returns the measurement by which the offline worker judges,
    // and adds the rows of all sets to the records once nothing can interrupt it any more. Returns
    // nullopt if a signal ended it.
    std::optional<Measured> measure_epoch();

    // Validates always on the same batch of each set, so that the values can be compared. Returns
    // whether the weights are the best so far by that, or nullopt if a signal ended it.
    std::optional<bool> validate_partly();

    // Validates the whole sets, which judge nothing. Returns false if a signal ended it.
    bool validate();

    // Evaluates all validation sets, one after the other, or their first batches: the one that
    // judges is the last, here and in the records. Returns nullopt if a signal ended it; then
    // nothing has changed.
    std::optional<std::vector<Measured>> validate(Evaluation evaluation, bool is_partial = false);

    // Judges the measured model; returns whether it is the best so far.
    bool judge(const run::Measurement& measured);

    // Reports to the log and to the user, at once, or with the next measurement of the same epoch.
    void report(const Measured& measured, bool is_best, bool has_more = false);

    // Makes a pass over the test set with the best weights, or the last ones if there are none,
    // which the session has from then on. Returns nullopt if a signal ended it.
    std::optional<std::vector<Aggregate>> test();

private:
    std::optional<std::vector<Aggregate>> run(const Evaluation& evaluation, Phase phase,
                                              std::uint64_t batches_before = 0);
    // Reports the validation sets that do not judge.
    void report_others(const std::vector<Measured>& validated);
    void record(const Measured& measured);

    // Compares by the loss, or by the statistic that the experiment names.
    bool is_best_so_far(const run::Measurement& measured);

    TrainerContext& context_;
    const std::vector<std::string> sets_;    // the names of the validation sets, by number
    bool threshold_warning_logged_ = false;  // that the threshold is not met
};

}  // namespace ptp::engine
