// Accumulates the gradients of several batches for one step of the optimizer.
//
// A loss is a weighted mean over its batch: over samples, or fewer. The sum over batches is
// normalized by the total weight, so that n batches of b equal one batch of n * b, and a shorter
// batch counts less. Means over different items are accumulated separately.

#pragma once

#include "engine/component/saved_state.hpp"
#include "engine/distributed/collective.hpp"
#include "engine/optimizer/gradients.hpp"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>
#include <vector>

namespace ptp::engine {

// [main]
class GradientSums {
public:
    // Each process of the collective adds the batches of its shares; all take the sum.
    GradientSums(std::vector<NamedParameter> parameters, Collective& collective);

    // Computes the gradients of a batch and adds them. The number of losses is the same in each
    // call.
    void add(std::span<const WeightedLoss> losses);

    // Like add(), but ignores the batch if its gradients are not all finite; returns whether they
    // are, in every process. Waits for the device once.
    bool add_finite(std::span<const WeightedLoss> losses);

    // The number of batches added since the last take().
    [[nodiscard]] std::int64_t batch_count() const { return batch_count_; }

    // Writes the gradients to the parameters and clears the sums. Each of several processes writes
    // its part: the gradient is the sum of these parts.
    void take();

    // Clears the sums.
    void forget();

    // The first process's state has the sums of all (add_ranks()); all processes call it.
    [[nodiscard]] SavedState save() const;
    // Restores this process's sums; where another number of processes saved them, the first one
    // gets the sums of all. Throws RunError with kDataError if it was saved for other parameters,
    // and changes nothing.
    void restore(const SavedState& whole);

private:
    struct Sum {
        double weight = 0;
        std::vector<at::Tensor> gradients;  // one for each parameter; undefined if it has none
    };

    void swap_gradients(Sum& sum);
    void differentiate(std::span<const WeightedLoss> losses, std::vector<Sum>& into);
    [[nodiscard]] bool is_finite_everywhere(bool is_finite) const;
    [[nodiscard]] std::vector<double> whole_weights() const;

    std::vector<NamedParameter> parameters_;
    Collective& collective_;
    std::vector<Sum> sums_;
    std::int64_t batch_count_ = 0;
};

}  // namespace ptp::engine
