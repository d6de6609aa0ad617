#include "engine/train/evaluator.hpp"

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

}  // namespace

std::optional<std::vector<Aggregate>> Evaluator::run(Evaluation evaluation, Phase phase) {
    parts_.progress.begin_pass(phase);
    evaluation.on_batch = [this](std::uint64_t done, std::uint64_t count) {
        parts_.progress.batch(done, count);
    };
    return parts_.pass(evaluation);
}

std::optional<Measurement> Evaluator::validate(const Evaluation& evaluation, Table table) {
    const auto aggregates = run(evaluation, Phase::kValidation);
    if (!aggregates) {
        return std::nullopt;
    }
    const Statistics& statistics = parts_.statistics;
    record_pictures();
    record(table, {evaluation.position, statistics.batch_count(kValidationSet)}, *aggregates);
    return measured(statistics, kValidationSet, *aggregates, set_name(table), evaluation.position);
}

Evaluator::TrainingEpoch Evaluator::training_epoch(Position at) {
    Statistics& statistics = parts_.statistics;
    TrainingEpoch epoch;
    epoch.aggregates = statistics.aggregate(kTrainingSet);
    epoch.position = {at, statistics.batch_count(kTrainingSet)};
    epoch.measured =
        measured(statistics, kTrainingSet, epoch.aggregates, set_name(Table::kTrainingEpochs), at);
    return epoch;
}

std::optional<std::vector<Aggregate>> Evaluator::test(Position at) {
    auto aggregates = run({kTestSet, at, at.epoch}, Phase::kTest);
    if (aggregates) {
        record_pictures();
        record(Table::kTest, {at, parts_.statistics.batch_count(kTestSet)}, *aggregates);
    }
    return aggregates;
}

void Evaluator::record_pictures() {
    parts_.sinks.pictures(parts_.pictures);
    parts_.pictures.clear();
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
