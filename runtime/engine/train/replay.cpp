#include "engine/train/replay.hpp"

#include "engine/train/training_state.hpp"

namespace ptp::engine {

Replay::Replay(Session& session) : session_(session), buffers_(session.components) {}

Replay::State Replay::state() const {
    return {generator_states(session_), buffers_.copies()};
}

void Replay::restore(const State& state) {
    restore_generators(session_, state.generators);
    buffers_.restore(state.buffers);
}

void Replay::begin() {
    before_ = state();
}

void Replay::has_run() {
    after_ = state();
}

void Replay::end() {
    restore(after_);
}

}  // namespace ptp::engine
