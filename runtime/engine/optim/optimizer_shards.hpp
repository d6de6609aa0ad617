// The state of the optimizer in parts: each process keeps that of its parameters, changes them, and
// sends them to the others (ZeRO, stage 1: Rajbhandari et al., 2020).

#pragma once

#include "engine/component/saved_state.hpp"
#include "engine/distributed/group.hpp"
#include "engine/optim/named_parameter.hpp"

#include <cstdint>
#include <vector>

namespace ptp::engine {

// [main] Whose parameters are whose follows from their sizes: the same in each process.
class OptimizerShards {
public:
    OptimizerShards(std::vector<NamedParameter> parameters, Group& group);

    // Before a step: this process has no gradients but those of its parameters. Returns the others.
    [[nodiscard]] std::vector<at::Tensor> keep_own_gradients() const;
    // After it: the parameters of the others are as they have changed them, and have these
    // gradients again.
    void exchange(const std::vector<at::Tensor>& gradients) const;

    // What an optimizer has saved, which all have, has all states in the first process, and none of
    // others than their own in the others.
    [[nodiscard]] SavedState gathered(SavedState saved) const;
    // The reverse: without the states of others' parameters.
    [[nodiscard]] SavedState own_part(SavedState saved) const;

private:
    [[nodiscard]] TensorsByName gathered_tensors(const SavedState& own) const;

    std::vector<NamedParameter> parameters_;
    Group& group_;
    std::vector<std::uint64_t> owners_;  // ranks, by the places of the parameters
};

}  // namespace ptp::engine
