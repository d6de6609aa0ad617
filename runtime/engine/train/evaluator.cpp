#include "engine/train/evaluator.hpp"

#include "base/error.hpp"
#include "engine/train/set_pass.hpp"
#include "engine/train/signals.hpp"
#include "engine/train/training_state.hpp"

#include <c10/core/GradMode.h>
#include <fmt/core.h>

#include <string>
#include <utility>

namespace ptp::engine {

namespace {

const char* set_name(Table table) {
    switch (table) {
        case Table::kValidation:
            return "validation";
        case Table::kPartialValidation:
            return "partial_validation";
        case Table::kTest:
            return "test";
        default:
            return "training";
    }
}

class EvaluationMode {
public:
    explicit EvaluationMode(const Components& components) : components_(components) {
        components_.set_training(false);
    }
    void end() { components_.set_training(true); }

private:
    const Components& components_;
    c10::AutoGradMode without_gradients_{false};
};

// One pass: no gradients, dropout off, batch normalization frozen. The components are back in
// training when it returns. nullopt if a signal ended it early. Throws RunError; with kDiverged for
// a loss that is not a number.
std::optional<std::vector<Aggregate>> evaluate(Session& session, BatchSource& source,
                                               const Evaluation& evaluation) {
    const auto& [set, position, epoch, max_batches, on_batch] = evaluation;
    const WeightAverage::InPlace averaged(session.optimization->average());
    EvaluationMode mode(session.components);
    session.statistics.reset(set);
    const std::string& section = source.section().name;
    Episode episode({session.executor, session.frame, &session.statistics},
                    {source.section(), set});
    SetPass pass(episode, source, {epoch, max_batches});
    while (pass.next(position)) {
        const std::uint64_t index = pass.step().batch_index;
        if (const std::string bad = session.statistics.bad_losses(); !bad.empty()) {
            throw RunError(kDiverged, fmt::format("the loss {} in batch {} of [{}], after episode "
                                                  "{}: the training has diverged",
                                                  bad, index, section, position.episode));
        }
        if (on_batch) {
            on_batch(index + 1, pass.batch_count());
        }
        if (Signals::received() != 0) {
            mode.end();
            return std::nullopt;
        }
    }
    mode.end();
    if (const std::string empty = session.statistics.losses_without_value(set); !empty.empty()) {
        throw RunError(
            kDataError,
            fmt::format("[{}] has nothing that counts for the loss {}, which has no value "
                        "there; look at masks, weights and ignored targets",
                        section, empty));
    }
    return session.statistics.aggregate(set);
}

}  // namespace

std::optional<std::vector<Aggregate>> Evaluator::run(BatchSource& source, Evaluation evaluation,
                                                     Phase phase) {
    parts_.progress.begin_pass(phase);
    evaluation.on_batch = [this](std::uint64_t done, std::uint64_t count) {
        parts_.progress.batch(done, count);
    };
    return evaluate(parts_.session, source, evaluation);
}

std::optional<Measurement> Evaluator::validate(const Evaluation& evaluation, Table table) {
    Session& session = parts_.session;
    const EvaluationState before = evaluation_state(session);
    const auto aggregates = run(*session.validation, evaluation, Phase::kValidation);
    if (!aggregates) {
        restore_evaluation(session, before);
        session.pictures.clear();  // A resumed run makes this pass, and shows them, again.
        return std::nullopt;
    }
    record_pictures();
    record(table, {evaluation.position, session.statistics.batch_count(kValidationSet)},
           *aggregates);
    return measured(session.statistics, kValidationSet, *aggregates, set_name(table),
                    evaluation.position);
}

Evaluator::TrainingEpoch Evaluator::training_epoch(Position at) {
    Statistics& statistics = parts_.session.statistics;
    TrainingEpoch epoch;
    epoch.aggregates = statistics.aggregate(kTrainingSet);
    epoch.position = {at, statistics.batch_count(kTrainingSet)};
    epoch.measured =
        measured(statistics, kTrainingSet, epoch.aggregates, set_name(Table::kTrainingEpochs), at);
    return epoch;
}

std::optional<std::vector<Aggregate>> Evaluator::test(Position at) {
    Session& session = parts_.session;
    auto aggregates = run(*session.test, {kTestSet, at, at.epoch}, Phase::kTest);
    if (aggregates) {
        record_pictures();
        record(Table::kTest, {at, session.statistics.batch_count(kTestSet)}, *aggregates);
    }
    return aggregates;
}

void Evaluator::record_pictures() {
    parts_.sinks.pictures(parts_.session.pictures);
    parts_.session.pictures.clear();
}

void Evaluator::record(Table table, const SetPosition& position,
                       const std::vector<Aggregate>& aggregates) {
    parts_.records.set(table, position, aggregates);
    parts_.sinks.set({set_name(table), position, aggregates});
}

void Evaluator::report(const Measurement& measured, bool is_best, bool has_more) {
    const std::string where =
        measured.set == "partial_validation"
            ? fmt::format("episode {}", measured.at.episode + 1)
            : fmt::format("epoch {}", parts_.progress.epoch_text(measured.at.epoch));
    parts_.console.note(fmt::format("{}  {:<10}  {}{}", where, measured.set, measured.text,
                                    is_best ? "  (best)" : ""));
    parts_.progress.result({where, measured.set, measured.text, is_best, has_more});
}

}  // namespace ptp::engine
