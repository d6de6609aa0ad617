// Lets the forward pass of an episode run again as if for the first time: with the same random
// draws, and from the same buffers. For an optimizer that evaluates a batch several times.

#pragma once

#include "engine/component/buffers.hpp"
#include "engine/component/saved_state.hpp"
#include "engine/train/session.hpp"

#include <ATen/core/Tensor.h>

#include <vector>

namespace ptp::engine {

// [main] The session must outlive it.
class Replay {
public:
    explicit Replay(Session& session);

    // Before the first forward pass of an episode.
    void begin();

    // After it: what it has made of generators and buffers is what remains at the end.
    void has_run();

    // Before the forward pass is run again, with the weights as they are by now.
    void rewind() { restore(before_); }

    // After the last one: generators and buffers are as one forward pass leaves them.
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
