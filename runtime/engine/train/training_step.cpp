#include "engine/train/training_step.hpp"

#include "engine/error.hpp"

#include <ATen/core/Tensor.h>
#include <c10/util/Exception.h>
#include <fmt/core.h>

#include <string>

namespace ptp::engine {

TrainingStep::TrainingStep(Session& session) : session_(session) {
    step_.struct_size = sizeof(ptp_step);
    step_.is_training = 1;
    step_.section = session_.experiment.training.name.c_str();
    step_.set = kTrainingSet;
}

std::span<const double> TrainingStep::forward(Position position, const Pass& pass) {
    step_.episode = position.episode;
    step_.epoch = position.epoch;
    step_.batch_index = pass.batch_index();
    step_.batch_size = pass.batch_size();
    session_.optimizer->forget_gradients();
    session_.executor.run(session_.training.task(), step_, step_.batch_index == 0);
    return session_.statistics.collect(kTrainingSet, session_.frame, step_.batch_size);
}

void TrainingStep::learn() {
    refuse_bad_losses();
    minimise();
    session_.frame.clear();
}

void TrainingStep::refuse_bad_losses() const {
    const std::string bad = session_.statistics.bad_losses();
    if (!bad.empty()) {
        throw RunError(
            kTrainingError,
            fmt::format("the loss {} in episode {} (epoch {}): the training has diverged; a lower "
                        "learning rate may help",
                        bad, step_.episode, step_.epoch));
    }
}

void TrainingStep::minimise() {
    const at::Tensor loss = session_.statistics.total_loss(session_.frame);
    if (!loss.requires_grad()) {
        throw RunError(kTrainingError,
                       "the loss does not depend on any parameter that is trained; is a component "
                       "between the model and the loss not differentiable?");
    }
    try {
        loss.backward();
        session_.optimizer->step();
    } catch (const c10::Error& error) {
        throw RunError(kTrainingError, fmt::format("the backward pass of episode {} failed: {}",
                                                   step_.episode, error.what_without_backtrace()));
    }
}

}  // namespace ptp::engine
