// Shards the state of the optimizer: each process keeps that of its parameters, updates them, and
// sends them to the others (ZeRO, stage 1: Rajbhandari et al., 2020).

#pragma once

#include "engine/component/saved_state.hpp"
#include "engine/distributed/group.hpp"
#include "engine/optimizer/gradients.hpp"

#include <cstdint>
#include <vector>

namespace ptp::engine {

// [main] Which process owns a parameter follows from the sizes of all parameters: the same in each
// process.
class OptimizerShards {
public:
    OptimizerShards(std::vector<NamedParameter> parameters, Group& group);

    // Called before a step: keeps only the gradients of this process's parameters. Returns the
    // others.
    [[nodiscard]] std::vector<at::Tensor> keep_own_gradients() const;
    // Called after it: receives the updated parameters of the others, and restores these gradients.
    void exchange(const std::vector<at::Tensor>& gradients) const;

    // Returns an optimizer's saved state, in the first process with the states of all processes, in
    // the others only with their own. Called by all.
    [[nodiscard]] SavedState gathered(SavedState saved) const;
    // The reverse: removes the states of others' parameters.
    [[nodiscard]] SavedState own_part(SavedState saved) const;

private:
    std::vector<NamedParameter> parameters_;
    Group& group_;
    std::vector<std::uint64_t> owners_;  // ranks, by index of the parameters
};

}  // namespace ptp::engine
