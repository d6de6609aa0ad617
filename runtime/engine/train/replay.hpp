// Repeats the forward pass of an episode as if for the first time: with the same random draws, and
// from the same buffers. For an optimizer that evaluates a batch several times.

#pragma once

#include "engine/component/components.hpp"
#include "engine/component/saved_state.hpp"
#include "engine/train/session.hpp"

#include <ATen/core/Tensor.h>

#include <vector>

namespace ptp::engine {

// [main] The session must outlive it.
class Replay {
public:
    explicit Replay(Session& session);

    // Called before the first forward pass of an episode.
    void begin();

    // Called after it: saves its generators and buffers, which are restored at the end.
    void has_run();

    // Called before the forward pass is repeated with the current weights.
    void rewind() { restore(before_); }

    // Called after the last one: restores generators and buffers as after one forward pass.
    void end();

private:
    struct State {
        TensorsByName generators;
        std::vector<at::Tensor> buffers;
    };

    [[nodiscard]] State state() const;
    void restore(const State& state);

    Session& session_;
    Buffers buffers_;
    State before_;
    State after_;
};

}  // namespace ptp::engine
