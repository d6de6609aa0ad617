// One pass over a set in evaluation mode, and the validations and the test that are made of it.

#include "engine/train/validator.hpp"

#include "base/error.hpp"
#include "engine/checkpoint/checkpoint_file.hpp"
#include "engine/train/episode.hpp"
#include "engine/train/evaluation_mode.hpp"
#include "engine/train/probe.hpp"
#include "engine/train/shown_batches.hpp"
#include "engine/train/training_state.hpp"
#include "run/hashes.hpp"
#include "run/paths.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cassert>
#include <filesystem>
#include <limits>
#include <utility>

namespace ptp::engine {

namespace {

std::optional<std::vector<Aggregate>> run_pass(TrainingSession& session, BatchSource& source,
                                               const Evaluation& evaluation,
                                               const Observers& observers) {
    Collective& collective = session.collective;
    collective.enter(distributed::Phase::kValidating);
    collective.share_buffers();  // The last batch changed each process's own.
    const StatisticSet set = evaluation.set;
    const Position position = evaluation.position;
    const WeightAverage::InPlace averaged(session.optimization->average());
    EvaluationMode mode(session.components);
    const std::string& section = source.section().name;
    session.statistics.begin(set, section);
    Episode episode({session.executor, session.frame, &session.statistics, nullptr, &collective},
                    {source.section(), set});
    SetPass pass(episode, source, {evaluation.epoch, evaluation.max_batches});
    const bool is_whole = evaluation.max_batches == UINT64_MAX;
    const std::unique_ptr<ShownBatches> shown = session.shown_batches(
        source, is_whole ? observers.sinks : nullptr,
        evaluation.ends_epoch ? std::optional(evaluation.epoch) : std::nullopt);
    while (pass.next(position)) {
        const std::uint64_t index = pass.facts().batch_index;
        if (const std::string bad = session.statistics.bad_losses(); !bad.empty()) {
            throw RunError(kDiverged, fmt::format("the loss {} in batch {} of [{}], after episode "
                                                  "{}: the training has diverged",
                                                  bad, index, section, position.episode));
        }
        shown->show(index);
        if (observers.progress != nullptr) {
            observers.progress->batch(index + 1, pass.batch_count());
        }
        if (collective.take_signal() != 0) {
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

std::optional<std::vector<Aggregate>> evaluate(TrainingSession& session,
                                               const Evaluation& evaluation,
                                               const Observers& observers) {
    assert(evaluation.set != kTestSet || session.test != nullptr);
    if (evaluation.set == kTestSet) {
        return run_pass(session, *session.test, evaluation, observers);
    }
    const EvaluationState before = evaluation_state(session);
    BatchSource& source = session.validation_set(evaluation.number);
    auto aggregates = run_pass(session, source, evaluation, observers);
    if (!aggregates) {
        restore_evaluation(session, before);
        session.pictures.clear();  // A resumed run repeats this pass, and shows them again.
    } else if (evaluation.number > 0) {
        restore_generators(session, before.generators, source.section().name);
    }
    return aggregates;
}

std::optional<Measured> Validator::measure_epoch() {
    const Position at = context_.state.last_position();
    const Measured trained = measured_epoch(context_.session.statistics, at);
    std::optional<std::vector<Measured>> validated;
    if (!context_.is_online() && context_.session.validation) {
        validated = validate({.position = at, .epoch = context_.state.epoch, .ends_epoch = true});
        if (!validated) {
            return std::nullopt;
        }
        report(trained, false, true);
        report_others(*validated);
    }
    record(trained);
    probe(context_.session, context_.sinks, at);
    return validated ? validated->back() : trained;
}

std::optional<bool> Validator::validate_partly() {
    const auto validated = validate({kValidationSet, context_.state.last_position(), 0, 1}, true);
    if (!validated) {
        return std::nullopt;
    }
    context_.state.partly_validated = context_.state.episodes_done;
    const bool is_best = context_.is_online() && judge(validated->back().record);
    report_others(*validated);
    report(validated->back(), is_best);
    return is_best;
}

bool Validator::validate() {
    const auto validated = validate({kValidationSet, context_.state.last_position(), 0});
    if (validated) {
        report_others(*validated);
        report(validated->back(), false);
    }
    return validated.has_value();
}

std::optional<std::vector<Measured>> Validator::validate(Evaluation evaluation, bool is_partial) {
    TrainingSession& session = context_.session;
    const std::size_t count = sets_.size();
    std::optional<EvaluationState> before;  // of the first set, if there are several
    if (count > 1) {
        before = evaluation_state(session);
    }
    std::vector<Measured> validated;
    std::uint64_t batches = 0;
    for (std::size_t i = 1; i <= count; ++i) {
        evaluation.number = i % count;  // 0 is the one that judges
        auto aggregates = run(evaluation, Phase::kValidation, batches);
        if (!aggregates) {
            if (before) {
                restore_evaluation(session, *before);
                session.pictures.clear();
            }
            return std::nullopt;
        }
        validated.push_back(
            measured(session.statistics, kValidationSet, std::move(*aggregates),
                     (is_partial ? run::kPartialPrefix : "") + sets_[evaluation.number],
                     evaluation.position));
        batches += validated.back().position.episodes_aggregated;
    }
    context_.send_pictures();
    for (const Measured& measured : validated) {
        record(measured);
    }
    return validated;
}

std::optional<std::vector<Aggregate>> Validator::run(const Evaluation& evaluation, Phase phase,
                                                     std::uint64_t batches_before) {
    context_.progress.begin_pass(phase, batches_before);
    return evaluate(context_.session, evaluation, {&context_.progress, &context_.sinks});
}

void Validator::report_others(const std::vector<Measured>& validated) {
    for (std::size_t i = 0; i + 1 < validated.size(); ++i) {
        report(validated[i], false, true);
    }
}

void Validator::report(const Measured& measured, bool is_best, bool has_more) {
    const auto& [set, episode, epoch, loss, statistics] = measured.record;
    const std::string where =
        set.starts_with(run::kPartialPrefix)
            ? fmt::format("episode {}", episode + 1)
            : fmt::format("epoch {}",
                          context_.progress.epoch_text(static_cast<std::uint64_t>(epoch) - 1));
    context_.console.note(
        fmt::format("{}  {:<10}  {}{}", where, set, measured.text, is_best ? "  (best)" : ""));
    context_.progress.result({where, set, measured.text, is_best, has_more});
}

void Validator::record(const Measured& measured) {
    const std::string& set = measured.record.set;
    context_.records.set(set, measured.position, measured.aggregates);
    context_.sinks.tell(&Sink::set, {set, measured.position, measured.aggregates});
}

bool Validator::is_best_so_far(const run::Measurement& measured) {
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    const auto& judge = context_.session.experiment.training.judge;
    Optimization& optimization = *context_.session.optimization;
    const double loss = measured.loss.value_or(kNone);
    if (!judge) {
        optimization.validated(loss);
        return context_.stop.validated(loss);
    }
    const auto value = std::ranges::find(measured.statistics, judge->statistic,
                                         [](const auto& statistic) { return statistic.first; });
    const double judged = judge->comparable(
        value != measured.statistics.end() ? value->second.value_or(kNone) : kNone);
    optimization.validated(judged, judge->is_larger_better);
    return context_.stop.validated(loss, judged);
}

bool Validator::judge(const run::Measurement& measured) {
    const bool is_best = is_best_so_far(measured);
    if (const std::string reason = context_.stop.unmet_threshold();
        !reason.empty() && !std::exchange(threshold_warning_logged_, true)) {
        context_.log.warn(reason);
    }
    context_.state.last = measured;
    if (is_best) {
        context_.state.best = measured;
    }
    return is_best;
}

std::optional<std::vector<Aggregate>> Validator::test() {
    TrainingSession& session = context_.session;
    std::filesystem::path tested = context_.checkpoints.best();
    if (!std::filesystem::exists(tested)) {
        tested = context_.checkpoints.last();
        const auto& judge = session.experiment.training.judge;
        const std::string why = fmt::format(
            ": no validation has given a finite {} and a loss that is not far above the "
            "training's first",
            judge ? judge->statistic : "loss");
        context_.log.warn(fmt::format("there are no best weights{}; the last ones are tested",
                                      session.validation ? why : ""));
    }
    run::check_hashes(tested);
    session.optimization->end_average();
    restore_evaluated_weights(tested, session.components);
    const Position at = context_.state.last_position();
    auto aggregates = run({kTestSet, at, at.epoch}, Phase::kTest);
    if (aggregates) {
        context_.send_pictures();
        record(measured(session.statistics, kTestSet, *aggregates, "test", at));
    }
    return aggregates;
}

}  // namespace ptp::engine
