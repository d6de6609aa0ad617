// Prints what a run trains, on which data and machine, and how it ended; and warns of problems that
// the check of the experiment could not find.

#include "engine/entry/run_messages.hpp"

#include "base/duration.hpp"
#include "base/explanation.hpp"
#include "base/number.hpp"
#include "base/shell_words.hpp"
#include "base/suggest.hpp"
#include "base/text.hpp"
#include "base/toml_writer.hpp"
#include "engine/train/failure.hpp"
#include "engine/train/run_record.hpp"
#include "engine/train/system_info.hpp"
#include "experiment/experiment.hpp"
#include "pipeline/assemble.hpp"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>

namespace ptp::engine {

namespace {

std::string machine_text(const TrainingSession& session) {
    const std::uint64_t count = session.collective.size();
    const std::string processes = count > 1 ? fmt::format("{} processes, ", count) : "";
    return fmt::format("seed {}; on {}, {}{}", *session.experiment.seed,
                       session.executor.device().str(), processes, threads_text());
}

// Returns "" if OpenBLAS has chosen by itself.
std::string kernels_text(const BlasKernels& kernels) {
    if (kernels.instead_of.empty()) {
        return "";
    }
    const bool is_recorded = kernels.family == kernels.recorded;
    return fmt::format("OpenBLAS computes with its kernels for {}, {}, instead of those for {}",
                       kernels.family,
                       is_recorded ? "as the run did" : "the newest that run on this processor",
                       kernels.instead_of);
}

// Returns "; ends after 10 epochs, or 5 validations without improvement".
std::string limits_text(const experiment::Training& training, bool has_validation) {
    const experiment::TerminalConditions& conditions = training.terminal_conditions;
    std::vector<std::string> limits;
    if (conditions.epoch_limit >= 0) {
        limits.push_back(counted(conditions.epoch_limit, "epoch"));
    }
    if (conditions.episode_limit >= 0) {
        limits.push_back(counted(conditions.episode_limit, "episode"));
    }
    if (conditions.wall_time.seconds > 0) {
        limits.push_back(duration_text(conditions.wall_time.seconds));
    }
    if (has_validation && conditions.early_stop_validations > 0) {
        limits.push_back(counted(conditions.early_stop_validations, "validation") +
                         " without improvement");
    }
    return limits.empty() ? "" : fmt::format("; ends after {}", fmt::join(limits, " or "));
}

std::string clipping_text(const experiment::GradientClipping& clipping) {
    return clipping.is_by_norm
               ? fmt::format("gradients with a norm above {0:g} are scaled to {0:g}",
                             clipping.limit)
               : fmt::format(
                     "each element of a gradient is cut to [-{0:g}, {0:g}]; "
                     "{{ norm = {0:g} }} limits the norm of all",
                     clipping.limit);
}

constexpr std::size_t kShownClasses = 10;

// Returns "3 classes: circle, square, triangle", which reveals a wrong folder or column; "" if the
// task has no names.
std::string classes_text(const ComponentContext& component_context) {
    const ptp_data* names = component_context.globals.find(
        component_context.plan.tasks.front().global_for(plugin::Purpose::kClassNames));
    if (names == nullptr || names->type != PTP_DATA_TABLE || names->item_count == 0) {
        return "";
    }
    std::vector<std::string> shown;
    for (std::size_t i = 0; i < std::min<std::size_t>(names->item_count, kShownClasses); ++i) {
        const std::string name = names->items[i].key;
        shown.push_back(is_one_line(name) ? name : inline_toml(Value(name)));
    }
    return fmt::format("{} class{}: {}{}", names->item_count, names->item_count == 1 ? "" : "es",
                       join(shown, ", "), names->item_count > kShownClasses ? ", ..." : "");
}

// Returns "encoder" for a component that is frozen whole, "net (layers.0.weight, ...)" for a part;
// "" for one that is not frozen. Adds to the numbers of weights. What a component itself does not
// train, such as a first state of zeros, is none of them.
std::string frozen_part(Instance& node, bool is_group_frozen, std::int64_t& frozen,
                        std::int64_t& all) {
    constexpr std::size_t kShownNames = 4;
    std::vector<std::string> names;
    std::size_t count = 0;
    for (const NamedTensor& named : node.tensors()) {
        const bool is_trained = named.tensor.requires_grad();
        if (named.role == PTP_PARAMETER &&
            (is_trained || is_group_frozen || node.freezes(named.tensor))) {
            ++count;
            all += named.tensor.numel();
            if (!is_trained) {
                frozen += named.tensor.numel();
                names.push_back(named.name);
            }
        }
    }
    const bool is_whole = names.size() == count;
    if (names.size() > kShownNames) {
        names.resize(kShownNames);
        names.emplace_back("...");
    }
    const std::optional<std::int64_t> until = node.node().frozen_until;
    return names.empty()
               ? ""
               : fmt::format(
                     "{}{}{}", node.node().name,
                     is_whole ? "" : fmt::format(" ({})", join(names, ", ")),
                     until ? fmt::format(" in the first {}", counted(*until, "epoch")) : "");
}

// Returns "frozen: 900 of 1000 weights, of encoder and net (layers.0.weight)"; "" if none is.
std::string frozen_text(const TrainingSession& session) {
    std::int64_t frozen = 0;
    std::int64_t all = 0;
    std::vector<std::string> parts;
    const auto& groups = session.experiment.training.groups;
    for (const std::shared_ptr<Instance>& node : session.components.nodes) {
        const auto* const group =
            find_by(groups, node->node().name, &experiment::ParameterGroup::component);
        const bool is_group_frozen = group != nullptr && group->is_frozen;
        if (std::string part = frozen_part(*node, is_group_frozen, frozen, all); !part.empty()) {
            parts.push_back(std::move(part));
        }
    }
    return parts.empty()
               ? ""
               : fmt::format("frozen: {} of {} weights, of {}", frozen, all, join(parts, ", "));
}

// Returns "" where results are those of one process.
std::string parts_text(const TrainingSession& session) {
    const std::vector<std::string> names = session.nodes_normalizing_parts();
    return names.empty()
               ? ""
               : fmt::format(
                     "batch normalization of {} is over the part of a batch that a process "
                     "has, so that results are not those of one process; "
                     "distributed.buffers = \"synchronized\" is over the whole batch",
                     joined(names));
}

// Warns of what could not be reported when the experiment was checked. A resumed training has the
// limits of the last change; a replay of one with changes repeats what was warned of.
void warn_of_schedule(const TrainingSession& session, const RunRequest& request,
                      spdlog::logger& log) {
    if (request.replay && !request.stages.empty()) {
        return;
    }
    const experiment::Training& training =
        request.stages.empty() ? session.experiment.training : request.stages.back().training;
    const auto reported = experiment::schedule_advice(training);
    const auto batches = static_cast<std::int64_t>(session.training->batch_count());
    for (const auto& [key, advice] : experiment::schedule_advice(training, batches)) {
        if (!contains(transformed(reported, &experiment::ScheduleAdvice::key), key)) {
            log.warn(fmt::format("{}: {}", key, advice.text()));
        }
    }
}

}  // namespace

void announce_training(const TrainingSession& session, const ComponentContext& component_context,
                       const RunRequest& request, const std::filesystem::path& run,
                       Console& console) {
    const BatchSource& training = *session.training;
    // A replay makes the changes of its run only as it trains.
    const bool is_changed = !request.stages.empty() && !request.replay;
    const experiment::Experiment& now = is_changed ? request.stages.back() : session.experiment;
    console.headline(fmt::format("{}  in {}", session.experiment.name, run.string()));
    console.line_and_log(fmt::format(
        "{}, {} in an epoch{}; {}", counted(training.sample_count(), "sample"),
        counted(training.batch_count(), "episode"),
        limits_text(now.training, session.validation != nullptr), machine_text(session)));
    if (const std::string classes = classes_text(component_context); !classes.empty()) {
        console.line_and_log(classes);
    }
    for (const std::string& line : session.loaded) {
        console.line_and_log(line);
    }
    if (const std::string text = frozen_text(session); !text.empty()) {
        console.line_and_log(text);
    }
    if (const auto& clipping = now.training.gradient_clipping) {
        console.line_and_log(clipping_text(*clipping));
    }
    if (const std::string text = kernels_text(request.kernels); !text.empty()) {
        console.line_and_log(text);
    }
    if (const std::string text = parts_text(session); !text.empty()) {
        console.line_and_log(text);
    }
    if (!request.trial.empty()) {
        console.headline_and_log(request.trial);
    }
    const auto workers = session.experiment.training.dataloader.num_workers;
    if (training.loader_count() < static_cast<std::uint64_t>(workers)) {
        console.line_and_log(
            fmt::format("{} keeps state: its batches are loaded when they are due, not ahead",
                        training.task().title()));
    }
}

std::string begins_again_text(std::int64_t epochs) {
    return "the run has no checkpoint: it begins again with its first episode, and its tables " +
           (epochs > 0 ? fmt::format("with {} are replaced", counted(epochs, "epoch"))
                       : std::string("are replaced"));
}

std::string continuing_text(std::uint64_t done, std::int64_t before,
                            const std::filesystem::path& checkpoint, bool is_chosen) {
    const std::int64_t next = static_cast<std::int64_t>(done) + 1;
    const char* const fate = is_chosen ? "given up" : "not saved";
    const std::string again = before < next ? ""
                              : before == next
                                  ? fmt::format("; episode {} was {}", next, fate)
                                  : fmt::format("; episodes {} to {} were {}", next, before, fate);
    return fmt::format("continuing after episode {}, from {}{}", done, checkpoint.string(), again);
}

void announce_end(const TrainingSession& session, const std::string& reason,
                  const run::Measurement& best, Console& console) {
    console.line_and_log(reason);
    if (!best.set.empty()) {
        const bool is_online = session.experiment.training.worker == experiment::Worker::kOnline;
        console.line_and_log(fmt::format("best: {}", text_of_best(best, is_online)));
    }
    if (const std::string losses = session.optimization->summary(); !losses.empty()) {
        console.headline_and_log(losses);
    }
}

void write_profile(const Profiler& profiler, const std::filesystem::path& file, Console& console,
                   spdlog::logger& log) {
    console.line_and_log(profiler.table());
    try {
        profiler.write_trace(file);
    } catch (const RunError& error) {  // the training itself has ended well
        log.warn(fmt::format("no trace was written: {}", error.what()));
        return;
    }
    console.line_and_log(fmt::format("for chrome://tracing or Perfetto: {}", file.string()));
}

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

ClassCounts check_classes(const ComponentContext& context, const experiment::Section& training,
                          const ClassCounts& known, spdlog::logger& log) {
    const bool may_lack_classes =
        training.sampler && training.sampler->get<experiment::Subset>() != nullptr;
    ClassCounts problems = pipeline::class_count_problems(context.plan, context.globals.values());
    for (const pipeline::ClassCountProblem& problem : problems) {
        const std::string text = problem.explanation.text();
        if (problem.is_fatal && !may_lack_classes) {
            const std::string& place = problem.place;
            throw RunError(kConfigurationError, (place.empty() ? "" : place + ": ") + text);
        }
        if (std::ranges::find(known, problem) == known.end()) {
            log.warn(text);
        }
    }
    return problems;
}

RunError with_class_fix(const std::exception& failure, const ClassCounts& problems) {
    RunError error = as_run_error(failure);
    const std::string_view text = error.what();
    for (const pipeline::ClassCountProblem& problem : problems) {
        const auto& [reason, fix] = problem.explanation;
        const std::string loss = reason.substr(0, reason.find(" gets ")) + ": ";
        const std::size_t at = text.find(loss);
        const bool is_cause = error.code() == kDataError && problem.is_fatal && at != text.npos &&
                              text.find(": must be in [0, ", at) != text.npos &&
                              text.find("\n    fix: ") == text.npos;
        if (is_cause) {
            return {error.code(), Explanation{std::string(text), fix}.text()};
        }
    }
    return error;
}

void warn_of_batch_size(const TrainingSession& session, spdlog::logger& log) {
    const auto size = static_cast<std::uint64_t>(session.experiment.training.task.batch_size);
    if (size > session.training->sample_count()) {
        log.warn(fmt::format(
            "training.task.batch_size = {}: an epoch has {}, so that it is one batch and one step of "
            "the optimizer",
            size, counted(session.training->sample_count(), "sample")));
    }
    const std::uint64_t processes = session.collective.size();
    const std::uint64_t least = session.collective.least_share();
    const std::uint64_t sharing = std::clamp<std::uint64_t>(size / least, 1, processes);
    if (sharing < processes) {
        const Explanation idle{
            fmt::format(
                "training.task.batch_size = {}: {} of {} processes never have a sample: the "
                "batch is that of all processes{}",
                size, processes - sharing, processes,
                least > 1 ? ", and synchronized buffers need two samples in each" : ""),
            fmt::format("--nproc {}{}--set training.task.batch_size={}", sharing, kNextFix,
                        processes * least)};
        log.warn(idle.text());
    }
}

void warn_of_training(const TrainingSession& session, const RunRequest& request,
                      spdlog::logger& log) {
    warn_of_batch_size(session, log);
    if (const std::string& warning = session.training->sampler_warning(); !warning.empty()) {
        log.warn(warning);
    }
    if (!session.training->is_reproducible()) {
        log.warn(
            "this run cannot be repeated: which batches an episode sees depends on how fast "
            "the reservoir is filled");
    }
    warn_of_schedule(session, request, log);
    const auto& limits = session.experiment.training.terminal_conditions;
    for (const experiment::ComponentEntry& entry : session.experiment.pipeline.components) {
        const auto advice = pipeline::freeze_advice(
            entry, limits, static_cast<std::int64_t>(session.training->batch_count()));
        if (advice && !pipeline::freeze_advice(entry, limits)) {  // the check has not warned of it
            log.warn(fmt::format("{}.freeze: {}", entry.path, advice->text()));
        }
    }
    if (const auto advice = slow_blas_advice(blas_file())) {
        log.warn(*advice);
    }
}

}  // namespace ptp::engine
