#include "engine/entry/run_warnings.hpp"

#include "base/error.hpp"
#include "base/number.hpp"
#include "engine/train/run_record.hpp"
#include "engine/train/system_info.hpp"
#include "experiment/experiment.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

namespace ptp::engine {

namespace {

// Problems that could not be reported when the experiment was checked.
std::optional<std::string> late_cycle_advice(const TrainingSession& session) {
    const experiment::Training& training = session.experiment.training;
    if (experiment::cycle_advice(training)) {
        return std::nullopt;
    }
    return experiment::cycle_advice(training,
                                    static_cast<std::int64_t>(session.training->batch_count()));
}

}  // namespace

void warn_of_replay(const RunRequest& request, const experiment::Experiment& experiment,
                    at::Device device, spdlog::logger& log) {
    if (!request.replay) {
        return;
    }
    if (first_epoch(request.replay->run) == 0) {
        log.warn(
            "the run was begun by an older ptp, in which all components drew from one random "
            "generator: the replay draws other numbers");
    }
    for (const experiment::Experiment& stage : request.stages) {
        if (stage.device != experiment.device) {
            log.warn(fmt::format(
                "the replayed run continued on {}; the replay stays on {}, and draws other "
                "random numbers from there on",
                stage.device, experiment.device));
        }
    }
    for (const std::string& difference :
         differences_from(request.replay->run, device, request.kernels)) {
        log.warn(fmt::format("the numbers may differ in their last bits from the replayed run: {}",
                             difference));
    }
}

void check_classes(const ComponentContext& context, const experiment::Section& training,
                   const std::vector<pipeline::ClassCountProblem>& known, spdlog::logger& log) {
    const bool may_lack_classes =
        training.sampler && training.sampler->get<experiment::Subset>() != nullptr;
    for (const pipeline::ClassCountProblem& problem :
         pipeline::class_count_problems(context.plan, context.globals.values())) {
        const std::string text = problem.explanation.text();
        if (problem.is_fatal && !may_lack_classes) {
            const std::string& place = problem.place;
            throw RunError(kConfigurationError, (place.empty() ? "" : place + ": ") + text);
        }
        if (std::ranges::find(known, problem) == known.end()) {
            log.warn(text);
        }
    }
}

void warn_of_training(const TrainingSession& session, spdlog::logger& log) {
    const auto size = static_cast<std::uint64_t>(session.experiment.training.task.batch_size);
    if (size > session.training->sample_count()) {
        log.warn(fmt::format(
            "training.task.batch_size = {}: an epoch has {}, so that it is one batch and one step of "
            "the optimizer",
            size, counted(session.training->sample_count(), "sample")));
    }
    if (!session.training->is_reproducible()) {
        log.warn(
            "this run cannot be repeated: which batches an episode sees depends on how fast "
            "the reservoir is filled");
    }
    if (const auto advice = late_cycle_advice(session)) {
        log.warn(fmt::format("training.scheduler.total_episodes: {}", *advice));
    }
    if (const auto advice = slow_blas_advice(blas_file())) {
        log.warn(*advice);
    }
}

}  // namespace ptp::engine
