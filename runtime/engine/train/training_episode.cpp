// The order in which an episode is computed, refused, counted and applied to the weights.

#include "engine/train/training_episode.hpp"

#include "base/error.hpp"
#include "base/explanation.hpp"
#include "base/suggest.hpp"
#include "engine/train/failure.hpp"
#include "engine/train/training_state.hpp"

#include <ATen/core/Tensor.h>
#include <ATen/ops/zeros.h>
#include <c10/util/Exception.h>
#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>

namespace ptp::engine {

namespace {

constexpr const char* kNothingTrained =
    "the loss does not depend on any parameter that is trained; is a component between the model "
    "and the loss not differentiable?";

// The loss may depend only on a component that is frozen until a later epoch.
[[noreturn]] void refuse_nothing_trained(const TrainingSession& session, const ptp_step& episode) {
    std::vector<std::string> frozen;
    for (const std::shared_ptr<Instance>& node : session.components.nodes) {
        const auto until = node->node().frozen_until;
        if (until && node->node().share.empty() &&
            episode.epoch < static_cast<std::uint64_t>(*until)) {
            frozen.push_back(node->node().path + ".freeze");
        }
    }
    if (frozen.empty()) {
        throw RunError(kTrainingError, kNothingTrained);
    }
    throw WithFix<RunError>(
        kTrainingError,
        {fmt::format("the loss does not depend on any parameter that is trained in epoch {}: look "
                     "at {}, with until_epoch",
                     episode.epoch + 1, joined(frozen)),
         "freeze only some layers, or train another component in these epochs"});
}

// Does the work; `what` describes it in errors, for users.
template <class Work>
auto in_episode(const char* what, const ptp_step& episode, Work work) {
    try {
        return work();
    } catch (const c10::Error& error) {
        throw RunError(kTrainingError,
                       fmt::format("the {} of episode {} (epoch {}) failed: {}", what,
                                   episode.episode, episode.epoch + 1, torch_text(error)));
    }
}

constexpr const char* kBackwardPass = "backward pass";

}  // namespace

ForwardReplay::State ForwardReplay::state() const {
    return {generator_states(session_), buffers_.copies()};
}

void ForwardReplay::restore(const State& state) {
    restore_generators(session_, state.generators);
    buffers_.restore(state.buffers);
}

TrainingEpisode::TrainingEpisode(TrainingSession& session)
    : session_(session),
      episode_({session.executor, session.frame, &session.statistics, session.profiler,
                &session.collective},
               {session.experiment.training, kTrainingSet, true}) {
    if (session_.optimization->needs_closure()) {
        replay_.emplace(session_);
    }
}

void TrainingEpisode::rebind() {
    if (replay_) {
        replay_.emplace(session_);
    }
}

void TrainingEpisode::forward(Position position, const Pass& pass) {
    is_last_batch_ = pass.batch_index() + 1 == pass.batch_count();
    session_.optimization->begin({position.episode, position.epoch, pass.batch_index()});
    if (replay_) {
        replay_->begin();
    }
    session_.collective.share_buffers();
    if (session_.experiment.training.bad_loss.action == "skip") {
        buffers_before_ = buffers_.emplace(session_.components).copies();
    }
    episode_.forward(session_.training->task(), position, {pass.batch_index(), pass.batch_size()});
    if (replay_) {
        replay_->has_run();
    }
    session_.statistics.note_learning_rates(session_.optimization->rate_names(),
                                            session_.optimization->learning_rates());
}

void TrainingEpisode::backward() {
    const std::string bad = session_.statistics.bad_losses();
    is_refused_ = !bad.empty();
    counts_late_ =
        session_.optimization->looks_at_gradients() || session_.collective.observes_late();
    if (!is_refused_ && !counts_late_) {
        episode_.count();
    }
    outcome_ = StepOutcome::kApplied;
    if (is_refused_) {
        outcome_ = session_.optimization->refuse("the loss " + bad);
    } else if (replay_) {
        step_with_closure();
    } else {
        outcome_ = differentiate();
    }
}

StepOutcome TrainingEpisode::step() {
    const bool has_gradients = is_refused_ ? session_.optimization->is_accumulating() : !replay_;
    if (outcome_ != StepOutcome::kRollback && has_gradients &&
        session_.optimization->is_step_due(is_last_batch_)) {
        outcome_ = std::max(outcome_, change_parameters());
    }
    if (outcome_ == StepOutcome::kApplied && counts_late_) {
        episode_.count();
    }
    if (outcome_ == StepOutcome::kSkipped) {
        buffers_->restore(buffers_before_);
    }
    session_.collective.after_step(episode_.facts().batch_size);
    session_.frame.clear();
    return outcome_;
}

StepOutcome TrainingEpisode::finish() {
    const bool has_gradients =
        session_.optimization->is_accumulating() && session_.optimization->is_step_due(true);
    return has_gradients ? change_parameters() : StepOutcome::kApplied;
}

StepOutcome TrainingEpisode::differentiate() {
    std::vector<WeightedLoss> losses;
    if (session_.optimization->is_accumulating()) {
        losses = session_.statistics.weighted_losses(session_.frame);
    } else if (const at::Tensor loss = own_loss(); loss.defined()) {
        losses = {{loss, 1}};
    }
    const bool is_trained = std::ranges::any_of(losses, [](const WeightedLoss& each) {
        return each.loss.defined() && each.loss.requires_grad();
    });
    const bool is_of_nothing = std::ranges::all_of(
        losses, [](const WeightedLoss& each) { return !each.loss.defined() || each.weight == 0; });
    if (!is_trained && !is_of_nothing) {
        refuse_nothing_trained(session_, episode_.facts());
    }
    const Profiler::Timer timer(session_.profiler, Profiler::kBackward);
    return in_episode(kBackwardPass, episode_.facts(),
                      [&] { return session_.optimization->backward(losses); });
}

at::Tensor TrainingEpisode::own_loss() const {
    return session_.collective.own_loss(session_.statistics, session_.frame);
}

void TrainingEpisode::step_with_closure() {
    const Profiler::Timer timer(session_.profiler, Profiler::kOptimizer);
    bool is_first = true;
    const auto evaluate = [&] {
        if (!is_first) {
            replay_->rewind();
            episode_.forward_again();
        }
        is_first = false;
        at::Tensor loss = own_loss();
        if (loss.defined() && !loss.requires_grad()) {
            refuse_nothing_trained(session_, episode_.facts());
        }
        session_.collective.backward_pass(loss.defined(), [&loss] {
            if (loss.defined()) {
                loss.backward();
            }
        });
        return loss.defined() ? loss : at::zeros({});
    };
    in_episode(kBackwardPass, episode_.facts(),
               [&] { session_.optimization->step_with_closure(evaluate); });
    replay_->end();
}

StepOutcome TrainingEpisode::change_parameters() {
    const Profiler::Timer timer(session_.profiler, Profiler::kOptimizer);
    return in_episode("optimizer's step", episode_.facts(),
                      [&] { return session_.optimization->step(); });
}

}  // namespace ptp::engine
