// Loads the samples of a probe by their numbers, past the loaders, and runs the models on them.

#include "engine/train/probe.hpp"

#include "base/error.hpp"
#include "base/explanation.hpp"
#include "engine/train/evaluation_mode.hpp"
#include "engine/train/training_state.hpp"

#include <fmt/core.h>

#include <algorithm>
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
    const PassPlan plan = {.order = samples_of(source, probe)};
    const WeightAverage::InPlace averaged(session.optimization->average());
    EvaluationMode mode(session.components);
    Batch batch = source.new_batch();
    source.fetch(plan, 0, batch);
    source.make_ready(batch);
    source.send(batch);
    source.exchange(batch, session.frame);
    session.executor.run_learning(source.task(), step_of(source, at, plan.order.size()));
    sinks.tell(&Sink::probed, at, session.frame);
    session.frame.clear();
    mode.end();
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
    const experiment::Probe* const probe = sinks.probe(at.epoch);
    if (probe == nullptr || session.left_out.has_probe) {
        return;
    }
    const EvaluationState before = evaluation_state(session);
    const Buffers buffers(session.components);
    const std::vector<at::Tensor> copies = buffers.copies();
    show_probe(session, *probe, sinks, at);
    buffers.restore(copies);
    restore_evaluation(session, before);
}

}  // namespace ptp::engine
