#include "engine/train/evaluator.hpp"

#include "run/paths.hpp"

#include <fmt/core.h>

#include <cstddef>
#include <string>
#include <utility>

namespace ptp::engine {

std::optional<std::vector<Aggregate>> Evaluator::run(Evaluation evaluation, Phase phase,
                                                     std::uint64_t batches_before) {
    parts_.progress.begin_pass(phase, batches_before);
    evaluation.on_batch = [this](std::uint64_t done, std::uint64_t count) {
        parts_.progress.batch(done, count);
    };
    return parts_.pass(evaluation);
}

std::optional<std::vector<Measurement>> Evaluator::validate(Evaluation evaluation,
                                                            bool is_partial) {
    struct Row {
        SetPosition position;
        std::vector<Aggregate> aggregates;
    };
    const Statistics& statistics = parts_.statistics;
    const std::size_t count = parts_.validations.size();
    const std::function<void()> undo =
        count > 1 && parts_.undo ? parts_.undo() : std::function<void()>();
    std::vector<Measurement> measurements;
    std::vector<Row> rows;
    std::uint64_t batches = 0;
    for (std::size_t i = 1; i <= count; ++i) {
        evaluation.number = i % count;  // 0 is the one that judges
        auto aggregates = run(evaluation, Phase::kValidation, batches);
        if (!aggregates) {
            if (undo) {
                undo();
            }
            return std::nullopt;
        }
        const std::uint64_t done = statistics.batch_count(kValidationSet);
        batches += done;
        measurements.push_back(measured(
            statistics, kValidationSet, *aggregates,
            (is_partial ? run::kPartialPrefix : "") + parts_.validations[evaluation.number],
            evaluation.position));
        rows.push_back({{evaluation.position, done}, std::move(*aggregates)});
    }
    record_pictures();
    for (std::size_t i = 0; i < count; ++i) {
        record(measurements[i].set, rows[i].position, rows[i].aggregates);
    }
    return measurements;
}

Evaluator::TrainingEpoch Evaluator::training_epoch(Position at) {
    Statistics& statistics = parts_.statistics;
    TrainingEpoch epoch;
    epoch.aggregates = statistics.aggregate(kTrainingSet);
    epoch.position = {at, statistics.batch_count(kTrainingSet)};
    epoch.measured = measured(statistics, kTrainingSet, epoch.aggregates, "training", at);
    return epoch;
}

std::optional<std::vector<Aggregate>> Evaluator::test(Position at) {
    auto aggregates = run({kTestSet, at, at.epoch}, Phase::kTest);
    if (aggregates) {
        record_pictures();
        record("test", {at, parts_.statistics.batch_count(kTestSet)}, *aggregates);
    }
    return aggregates;
}

void Evaluator::record_pictures() {
    parts_.sinks.pictures(parts_.pictures);
    parts_.pictures.clear();
}

void Evaluator::record(const std::string& set, const SetPosition& position,
                       const std::vector<Aggregate>& aggregates) {
    parts_.records.set(set, position, aggregates);
    parts_.sinks.set({set, position, aggregates});
}

void Evaluator::report(const Measurement& measured, bool is_best, bool has_more) {
    const std::string where =
        measured.set.starts_with(run::kPartialPrefix)
            ? fmt::format("episode {}", measured.at.episode + 1)
            : fmt::format("epoch {}", parts_.progress.epoch_text(measured.at.epoch));
    parts_.console.note(fmt::format("{}  {:<10}  {}{}", where, measured.set, measured.text,
                                    is_best ? "  (best)" : ""));
    parts_.progress.result({where, measured.set, measured.text, is_best, has_more});
}

}  // namespace ptp::engine
