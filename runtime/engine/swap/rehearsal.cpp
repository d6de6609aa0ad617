// The dry run of one batch, with the new components and, to compare, with the old ones.

#include "engine/swap/rehearsal.hpp"

#include "base/text.hpp"
#include "engine/optimizer/gradients.hpp"
#include "engine/swap/swap_error.hpp"
#include "engine/train/episode.hpp"
#include "engine/train/training_state.hpp"

#include <ptp/ext/parameters.h>

#include <c10/core/GradMode.h>
#include <fmt/core.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <utility>

namespace ptp::engine {

namespace {

[[noreturn]] void refuse_rehearsal(const std::string& reason, const std::string& fix) {
    throw SwapError(SwapPhase::kRehearse, {reason, fix});
}

bool leads_to_losses(const Instance& instance) {
    const plugin::Kind kind = instance.node().component->kind;
    return kind == plugin::Kind::kModel || kind == plugin::Kind::kTransform ||
           kind == plugin::Kind::kLoss;
}

// Returns the components that lead to the losses, and the new ones: the others may write to the
// run's folder or count their inputs.
Components participants(const TrainingSession& session, const Components& components) {
    Components chosen;
    chosen.tasks = components.tasks;
    for (std::size_t i = 0; i < components.nodes.size(); ++i) {
        const bool is_new = components.nodes[i] != session.components.nodes[i];
        if (is_new || leads_to_losses(*components.nodes[i])) {
            chosen.nodes.push_back(components.nodes[i]);
        }
    }
    return chosen;
}

struct DryRunResult {
    at::Tensor loss;
    std::map<std::string, at::Tensor> gradients;  // undefined if it gets none
    std::map<std::string, at::Tensor> buffers;    // after the forward pass
};

struct DryRun {
    TrainingSession& session;
    const pipeline::Plan& plan;
    TrainingPosition place;
};

// Takes the buffers, and the gradients of the loss.
void take_tensors(const Components& chosen, DryRunResult& outcome) {
    std::vector<at::Tensor> parameters;
    std::vector<std::string> names;
    for (const std::shared_ptr<Instance>& node : chosen.nodes) {
        for (NamedTensor& named : node->tensors()) {
            const std::string name = node->node().name + "." + named.name;
            if (named.role == PTP_BUFFER) {
                outcome.buffers.emplace(name, named.tensor.detach().clone());
            } else if (named.tensor.requires_grad()) {
                names.push_back(name);
                parameters.push_back(named.tensor);
            }
        }
    }
    std::vector<at::Tensor> gradients(parameters.size());
    if (outcome.loss.requires_grad() && !parameters.empty()) {
        gradients = torch::autograd::grad({outcome.loss}, parameters, {}, {}, false, true);
    }
    for (std::size_t i = 0; i < names.size(); ++i) {
        outcome.gradients.emplace(names[i], gradients[i]);
    }
}

DryRunResult dry_run(const DryRun& stage, const Components& components, BatchSource& source) {
    const Components chosen = participants(stage.session, components);
    Frame frame(stage.plan);
    Executor executor(stage.plan, chosen, frame, stage.session.executor.device());
    const experiment::Training& training = stage.session.experiment.training;
    const Statistics statistics(stage.plan, chosen, training.loss_weights);
    executor.train_in(training.precision);

    const PassPlan pass = source.plan_pass(stage.place.epoch, true);
    Batch batch = source.new_batch();
    source.fetch(pass, stage.place.batch < source.batch_count() ? stage.place.batch : 0, batch);
    if (batch.size == 0) {  // The others share the few samples of an epoch's last batch.
        source.fetch(pass, 0, batch);
    }
    Episode episode({executor, frame}, {training, kTrainingSet, true});
    source.exchange(batch, frame);
    episode.forward(source.task(), {stage.place.episode, stage.place.epoch},
                    {stage.place.batch, batch.size}, true);
    episode.count();

    DryRunResult outcome;
    outcome.loss = statistics.total_loss(frame);
    take_tensors(chosen, outcome);
    outcome.loss = outcome.loss.detach();
    return outcome;
}

bool have_same_bits(const at::Tensor& left, const at::Tensor& right) {
    if (!left.defined() || !right.defined()) {
        return left.defined() == right.defined();
    }
    if (left.sizes() != right.sizes() || left.scalar_type() != right.scalar_type()) {
        return false;
    }
    const at::Tensor one = left.cpu().contiguous();
    const at::Tensor other = right.cpu().contiguous();
    return std::memcmp(one.data_ptr(), other.data_ptr(), one.nbytes()) == 0;
}

void require_same_bits(const DryRunResult& old, const DryRunResult& now) {
    if (!have_same_bits(old.loss, now.loss)) {
        refuse_rehearsal(
            fmt::format("the loss of the next batch would be {:.9g}, with the old component "
                        "it is {:.9g}, and swap.numbers is \"same\"",
                        now.loss.item<double>(), old.loss.item<double>()),
            kMayChangeFix);
    }
    const auto compare = [](const auto& before, const auto& after, const char* what) {
        for (const auto& [name, tensor] : before) {
            const auto other = after.find(name);
            if (other == after.end() || !have_same_bits(tensor, other->second)) {
                refuse_rehearsal(fmt::format("{} '{}' would differ from the old component's, and "
                                             "swap.numbers is \"same\"",
                                             what, name),
                                 kMayChangeFix);
            }
        }
    };
    compare(old.gradients, now.gradients, "the gradient of");
    compare(old.buffers, now.buffers, "the buffer");
}

// Calls the statistics of new components, to see whether that works.
void ask_statistics(const TrainingSession& session, const Candidate& candidate) {
    for (std::size_t i = 0; i < candidate.components.nodes.size(); ++i) {
        Instance& instance = *candidate.components.nodes[i];
        if (&instance != session.components.nodes[i].get() && instance.has_statistics()) {
            std::vector<double> values(instance.node().component->statistics.size());
            instance.collect_statistics(kTrainingSet, values.data());
            instance.aggregate_statistics(kTrainingSet, values.data());
        }
    }
}

// Returns a sentence about the loss or the gradients that are not finite; "" if all are.
std::string not_finite(const DryRunResult& outcome) {
    const double loss = outcome.loss.item<double>();
    if (!std::isfinite(loss)) {
        return fmt::format("the loss of the next batch would be {}", std::isnan(loss)     ? "nan"
                                                                     : std::signbit(loss) ? "-inf"
                                                                                          : "inf");
    }
    std::vector<std::string> names;
    for (const auto& [name, gradient] : outcome.gradients) {
        if (gradient.defined() && !are_finite({gradient})) {
            names.push_back(fmt::format("'{}'", name));
        }
    }
    return names.empty() ? ""
                         : fmt::format("with the next batch the gradient would not be finite of {}",
                                       join(names, ", "));
}

std::vector<std::string> without_gradient(const DryRunResult& outcome) {
    std::vector<std::string> names;
    for (const auto& [name, gradient] : outcome.gradients) {
        if (!gradient.defined()) {
            names.push_back(name);
        }
    }
    return names;
}

// Refuses parameters that the loss does not reach but reached before.
void require_gradients(const std::vector<std::string>& unreached, const DryRunResult& old) {
    std::vector<std::string> lost;
    for (const std::string& name : unreached) {
        const auto before = old.gradients.find(name);
        if (before == old.gradients.end() || before->second.defined()) {
            lost.push_back(fmt::format("'{}'", name));
        }
    }
    if (!lost.empty()) {
        refuse_rehearsal(fmt::format("no gradient would reach {}", join(lost, ", ")),
                         "let the loss depend on them, or let them require none");
    }
}

}  // namespace

StateSnapshot::StateSnapshot(TrainingSession& session, bool do_components_run)
    : session_(session),
      libtorch_(session.executor.device()),
      generators_(generator_states(session)) {
    for (const std::shared_ptr<Instance>& instance : session.components.nodes) {
        if (!do_components_run || !leads_to_losses(*instance)) {
            continue;
        }
        for (NamedTensor& named : instance->tensors()) {
            at::Tensor copy = named.tensor.detach().clone();
            tensors_.push_back({std::move(named.tensor), std::move(copy)});
        }
        if (auto state = instance->export_state()) {
            states_.push_back({instance.get(), std::move(*state)});
        }
    }
}

void StateSnapshot::restore() {
    libtorch_.restore();
    const c10::AutoGradMode without_gradients(false);
    for (Tensor& tensor : tensors_) {
        if (!have_same_bits(tensor.live, tensor.copy)) {
            tensor.live.copy_(tensor.copy);
        }
    }
    for (const State& state : states_) {
        if (!(state.instance->export_state()->value == state.state.value)) {
            state.instance->import_state(state.state);
        }
    }
    restore_generators(session_, generators_);
}

void rehearse(TrainingSession& session, const NextPipeline& next, Candidate& candidate,
              const TrainingPosition& place, StateSnapshot& untouched) {
    in_phase(SwapPhase::kRehearse, [&] {
        const bool must_keep_numbers = session.experiment.swap.must_keep_numbers;
        BatchSource& source =
            candidate.sources.front() ? *candidate.sources.front() : *session.training;
        const DryRun stage = {session, next.plan, place};
        const DryRunResult now = dry_run(stage, candidate.components, source);
        ask_statistics(session, candidate);
        const std::string problem = not_finite(now);
        const std::vector<std::string> unreached = without_gradient(now);
        if (problem.empty() && unreached.empty() && !must_keep_numbers) {
            return;
        }
        untouched.restore();
        const DryRunResult old = dry_run(stage, session.components, *session.training);
        if (!problem.empty() && !not_finite(old).empty()) {
            throw SwapError(SwapPhase::kRehearse,
                            {problem + ", and so it is with the running build"}, RefusedFor::kNow);
        }
        if (!problem.empty()) {
            refuse_rehearsal(problem, "correct what the new build computes, and build it again");
        }
        if (must_keep_numbers) {
            require_same_bits(old, now);
        }
        require_gradients(unreached, old);
    });
}

}  // namespace ptp::engine
