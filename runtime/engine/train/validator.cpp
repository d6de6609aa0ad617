#include "engine/train/validator.hpp"

#include "engine/checkpoint/checkpoint.hpp"
#include "run/hashes.hpp"

#include <fmt/core.h>

#include <cstddef>
#include <filesystem>
#include <limits>
#include <string>
#include <utility>

namespace ptp::engine {

bool Validator::is_online() const {
    return parts_.session.experiment.training.worker == experiment::Worker::kOnline;
}

std::optional<Measurement> Validator::measure_epoch() {
    const Position at = parts_.state.last_position();
    const Evaluator::TrainingEpoch trained = parts_.evaluator.training_epoch(at);
    std::optional<std::vector<Measurement>> validated;
    if (!is_online() && parts_.session.validation) {
        validated = parts_.evaluator.validate({kValidationSet, at, parts_.state.epoch});
        if (!validated) {
            return std::nullopt;
        }
        parts_.evaluator.report(trained.measured, false, true);
        report_others(*validated);
    }
    parts_.evaluator.record(trained);
    return validated ? validated->back() : trained.measured;
}

void Validator::report_others(const std::vector<Measurement>& validated) {
    for (std::size_t i = 0; i + 1 < validated.size(); ++i) {
        parts_.evaluator.report(validated[i], false, true);
    }
}

std::optional<bool> Validator::validate_partly() {
    const auto validated =
        parts_.evaluator.validate({kValidationSet, parts_.state.last_position(), 0, 1}, true);
    if (!validated) {
        return std::nullopt;
    }
    parts_.state.partly_validated = parts_.state.episodes_done;
    const bool is_best = is_online() && judge(validated->back());
    report_others(*validated);
    parts_.evaluator.report(validated->back(), is_best);
    return is_best;
}

bool Validator::validate() {
    const auto validated =
        parts_.evaluator.validate({kValidationSet, parts_.state.last_position(), 0});
    if (validated) {
        report_others(*validated);
        parts_.evaluator.report(validated->back(), false);
    }
    return validated.has_value();
}

bool Validator::is_best_so_far(const Measurement& measured) {
    const auto& judge = parts_.session.experiment.training.judge;
    Optimization& optimization = *parts_.session.optimization;
    if (!judge) {
        optimization.validated(measured.loss);
        return parts_.stop.validated(measured.loss);
    }
    const Value* value = measured.statistics.find(judge->statistic);
    const double judged = judge->comparable(
        value != nullptr ? value->as_real() : std::numeric_limits<double>::quiet_NaN());
    optimization.validated(judged, judge->is_larger_better);
    return parts_.stop.validated(measured.loss, judged);
}

bool Validator::judge(const Measurement& measured) {
    const bool is_best = is_best_so_far(measured);
    if (const std::string reason = parts_.stop.unmet_threshold();
        !reason.empty() && !std::exchange(has_told_of_threshold_, true)) {
        parts_.log.warn(reason);
    }
    parts_.state.last = measured;
    if (is_best) {
        parts_.state.best = measured;
    }
    return is_best;
}

std::optional<std::vector<Aggregate>> Validator::test(const Checkpoints& checkpoints) {
    std::filesystem::path tested = checkpoints.best();
    if (!std::filesystem::exists(tested)) {
        tested = checkpoints.last();
        const auto& judge = parts_.session.experiment.training.judge;
        const std::string why =
            fmt::format(": no validation has given a finite {}", judge ? judge->statistic : "loss");
        parts_.log.warn(fmt::format("there are no best weights{}; the last ones are tested",
                                    parts_.session.validation ? why : ""));
    }
    run::check_hashes(tested);
    parts_.session.optimization->end_average();
    restore_evaluated_weights(tested, parts_.session.components);
    return parts_.evaluator.test(parts_.state.last_position());
}

}  // namespace ptp::engine
