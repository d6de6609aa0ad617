// One batch through a pipeline with new components, forward and backward, before training with it.

#pragma once

#include "engine/component/own_generator.hpp"
#include "engine/optimizer/training_position.hpp"
#include "engine/swap/candidate.hpp"
#include "engine/swap/next_pipeline.hpp"

#include <vector>

namespace ptp::engine {

// The state that must not change when a swap is tried: the random generators and, if components of
// the session take part, their tensors and other state. [main]
class StateSnapshot {
public:
    StateSnapshot(TrainingSession& session, bool do_components_run);

    void restore();  // all of it

private:
    struct Tensor {
        at::Tensor live;
        at::Tensor copy;
    };
    struct State {
        Instance* instance = nullptr;
        Instance::State state;
    };

    TrainingSession& session_;
    LibtorchGenerators libtorch_;
    std::vector<Tensor> tensors_;
    std::vector<State> states_;
    TensorsByName generators_;
};

// Runs the batch of that place through the models, transforms and losses, and the new components of
// other kinds: shapes and values must be right, and gradients must reach the new parameters that
// had them before. If the experiment requires it, loss and gradients must equal the session's, bit
// for bit. Its changes must be undone afterwards. Throws SwapError (rehearse).
void rehearse(TrainingSession& session, const NextPipeline& next, Candidate& candidate,
              const TrainingPosition& place, StateSnapshot& untouched);

}  // namespace ptp::engine
