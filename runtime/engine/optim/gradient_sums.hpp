// Adds up the gradients of several batches, so that one step of the optimizer can follow them all.
//
// A loss is a mean over what it weighs in its batch: samples, or fewer. The sum over batches is
// normalized by all that was weighted, so that n batches of b are one batch of n * b, and a batch
// that is shorter counts less. Losses that weigh different things are added up apart.

#pragma once

#include "engine/component/saved_state.hpp"
#include "engine/distributed/group.hpp"
#include "engine/optim/named_parameter.hpp"
#include "engine/optim/weighted_loss.hpp"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace ptp::engine {

// [main]
// Makes a backward pass together with the other processes, which all call it too, with a loss or
// without one.
using InBackwardPass = std::function<void(bool has_loss, const std::function<void()>& work)>;
inline void run_alone(bool, const std::function<void()>& work) {
    work();
}

class GradientSums {
public:
    // `group`: (optional) the processes that each add the batches of their shares, and take the
    // sum of all.
    explicit GradientSums(std::vector<NamedParameter> parameters, Group* group = nullptr,
                          InBackwardPass in_backward_pass = run_alone);

    // Computes the gradients of a batch and adds them. The number of losses is the same for each.
    void add(std::span<const WeightedLoss> losses);

    // The same, but the batch is left out if its gradients are not all finite; returns whether they
    // are, in every process. Waits for the device, once.
    bool add_finite(std::span<const WeightedLoss> losses);

    // The number of batches added since the last take().
    [[nodiscard]] std::int64_t batch_count() const { return batch_count_; }

    // Writes the gradients to the parameters and clears the sums. Of several processes each writes
    // its part: the gradient is the sum of these parts.
    void take();

    // Begins anew.
    void forget();

    [[nodiscard]] SavedState save() const;
    // Throws RunError with kDataError if it was saved for other parameters, and changes nothing.
    void restore(const SavedState& saved);

private:
    struct Sum {
        double weight = 0;
        std::vector<at::Tensor> gradients;  // one for each parameter; undefined where it has none
    };

    void swap_gradients(Sum& sum);
    void differentiate(std::span<const WeightedLoss> losses, std::vector<Sum>& into);
    [[nodiscard]] bool is_finite_everywhere(bool is_finite) const;
    [[nodiscard]] std::vector<double> whole_weights() const;

    std::vector<NamedParameter> parameters_;
    Group* group_;
    InBackwardPass in_backward_pass_;
    std::vector<Sum> sums_;
    std::int64_t batch_count_ = 0;
};

}  // namespace ptp::engine
