// One batch through a pipeline with new components, forward and backward, before training with it.

#pragma once

#include "engine/component/own_generator.hpp"
#include "engine/optim/training_position.hpp"
#include "engine/swap/candidate.hpp"
#include "engine/swap/next_pipeline.hpp"

#include <cstdint>
#include <vector>

namespace ptp::engine {

// What is to be the same as ever after a swap was tried: the random generators and, where
// components of the session take part in it, their tensors and other state. [main]
class StateSnapshot {
public:
    StateSnapshot(Session& session, bool do_components_run);

    // Puts all of it back. Throws RunError if a generator is held by a thread that was given up.
    void restore();

private:
    struct Tensor {
        at::Tensor live;
        at::Tensor copy;
    };
    struct State {
        Instance* instance = nullptr;
        Instance::State state;
    };

    Session& session_;
    LibtorchGenerators libtorch_;
    std::vector<Tensor> tensors_;
    std::vector<State> states_;
    TensorsByName generators_;
};

// Runs the batch of that place through the models, transforms and losses, and the new components of
// other kinds: shapes and numbers must be right, and gradients reach the new parameters that had
// them before. Where the experiment requires it, loss and gradients must equal the session's, bit
// for bit. What it changes must be put back afterwards. Throws SwapError (rehearse).
void rehearse(Session& session, const NextPipeline& next, Candidate& candidate,
              const TrainingPosition& place, StateSnapshot& untouched);

}  // namespace ptp::engine
