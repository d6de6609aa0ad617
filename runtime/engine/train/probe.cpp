// Loads the samples of a probe by their numbers, past the loaders, and runs the models on them; in
// the first of several processes, which has the weights of all.

#include "engine/train/probe.hpp"

#include "base/error.hpp"
#include "base/explanation.hpp"
#include "engine/train/evaluation_mode.hpp"
#include "engine/train/failure.hpp"
#include "engine/train/training_state.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <exception>
#include <numeric>
#include <vector>

namespace ptp::engine {

namespace {

BatchSource& probed_source(TrainingSession& session, const experiment::Probe& probe) {
    if (probe.section.empty()) {
        return session.validation ? *session.validation : *session.training;
    }
    for (std::unique_ptr<BatchSource>* source : session.sources()) {
        if (*source != nullptr && (*source)->section().name == probe.section) {
            return **source;
        }
    }
    throw RunError(kConfigurationError,
                   fmt::format("records.probe.section: unknown section '{}'", probe.section));
}

std::vector<std::int64_t> samples_of(const BatchSource& source, const experiment::Probe& probe) {
    std::vector<std::int64_t> samples = probe.samples;
    if (samples.empty()) {
        samples.resize(static_cast<std::size_t>(std::min(
            {experiment::Probe::kFirst, source.section().task.batch_size, source.task_size()})));
        std::iota(samples.begin(), samples.end(), 0);
    }
    return samples;
}

ptp_step step_of(const BatchSource& source, Position at, std::uint64_t size) {
    ptp_step step{};
    step.struct_size = sizeof(ptp_step);
    step.section = source.section().name.c_str();
    step.set = kValidationSet;
    step.episode = at.episode;
    step.epoch = at.epoch;
    step.batch_size = size;
    return step;
}

void show_probe(TrainingSession& session, const experiment::Probe& probe, Sinks& sinks,
                Position at) {
    BatchSource& source = probed_source(session, probe);
    const PassPlan plan = {.order = samples_of(source, probe), .is_shared = false};
    Batch batch = source.new_batch();
    source.fetch(plan, 0, batch);
    source.make_ready(batch);
    source.send(batch);
    source.exchange(batch, session.frame);
    session.executor.run_learning(source.task(), step_of(source, at, plan.order.size()));
    sinks.tell(&Sink::probed, at, session.frame);
}

// Returns the error with a fix, its own if it has one.
std::string explained(const std::exception& error) {
    constexpr const char* kFix =
        "correct the component, name other samples in records.probe.samples, or train without "
        "[records.probe]";
    const std::string text = as_run_error(error).what();
    return text.find("\n    fix: ") == std::string::npos ? Explanation{text, kFix}.text() : text;
}

// Shows the probe, and restores everything. A failure ends the record, not the training.
void probe_alone(TrainingSession& session, const experiment::Probe& probe, Sinks& sinks,
                 Position at) {
    const EvaluationState before = evaluation_state(session);
    const Buffers buffers(session.components);
    const std::vector<at::Tensor> copies = buffers.copies();
    {
        const WeightAverage::InPlace averaged(session.optimization->average());
        EvaluationMode mode(session.components);
        try {
            show_probe(session, probe, sinks, at);
        } catch (const std::exception& error) {
            sinks.give_up("records.probe", explained(error));
        }
        session.frame.clear();
        mode.end();
    }
    buffers.restore(copies);
    restore_evaluation(session, before);
}

}  // namespace

void check_probe(TrainingSession& session) {
    const auto& probe = session.experiment.records.get<experiment::Probe>();
    if (!probe) {
        return;
    }
    const BatchSource& source = probed_source(session, *probe);
    const std::int64_t size = source.task_size();
    const std::int64_t batch_size = source.section().task.batch_size;
    for (const std::int64_t sample : probe->samples) {
        if (sample >= size) {
            throw WithFix<RunError>(
                kConfigurationError,
                {fmt::format(
                     "records.probe.samples: there is no sample {}: the task of [{}] has {}",
                     sample, source.section().name, size),
                 fmt::format("take numbers from 0 to {}", size - 1)});
        }
    }
    if (static_cast<std::int64_t>(probe->samples.size()) > batch_size) {
        throw WithFix<RunError>(
            kConfigurationError,
            {fmt::format("records.probe.samples: {} samples are more than a batch of [{}], which "
                         "has {}",
                         probe->samples.size(), source.section().name, batch_size),
             fmt::format("take {} or fewer", batch_size)});
    }
}

void probe(TrainingSession& session, Sinks& sinks, Position at) {
    const auto& asked = session.experiment.records.get<experiment::Probe>();
    if (!asked || !asked->is_due(at.epoch)) {
        return;
    }
    session.collective.in_first(
        "the probe",
        [&] {
            if (const experiment::Probe* const probe = sinks.probe(at.epoch)) {  // not given up
                probe_alone(session, *probe, sinks, at);
            }
        },
        session.log);
}

}  // namespace ptp::engine
