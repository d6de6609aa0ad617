#include "engine/train/replay.hpp"

#include "engine/train/training_state.hpp"

#include <c10/core/GradMode.h>

namespace ptp::engine {

Replay::Replay(Session& session) : session_(session) {
    for (const std::shared_ptr<Instance>& node : session.components.nodes) {
        for (NamedTensor& named : node->tensors()) {
            if (named.role != PTP_PARAMETER) {
                buffers_.push_back(std::move(named.tensor));
            }
        }
    }
}

Replay::State Replay::state() const {
    State state = {generator_states(session_), {}};
    for (const at::Tensor& buffer : buffers_) {
        state.buffers.push_back(buffer.detach().clone());
    }
    return state;
}

void Replay::restore(const State& state) {
    const c10::AutoGradMode without_gradients(false);
    restore_generators(session_, state.generators);
    for (std::size_t i = 0; i < buffers_.size(); ++i) {
        buffers_[i].copy_(state.buffers[i]);
    }
}

void Replay::begin() {
    before_ = state();
}

void Replay::has_run() {
    after_ = state();
}

void Replay::run_again(const ptp_step& step) {
    restore(before_);
    session_.executor.run_again(step);
}

void Replay::end() {
    restore(after_);
}

}  // namespace ptp::engine
