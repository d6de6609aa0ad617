// The optimizer of [training.optimizer], one of libtorch's.

#pragma once

#include "config/experiment.hpp"
#include "engine/checkpoint/saved_state.hpp"
#include "engine/optim/optimizer_state.hpp"

#include <ATen/core/Tensor.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace torch::optim {
class Optimizer;
}

namespace ptp::engine {

// [main]
class Optimizer {
public:
    // `gradient_clipping` cuts every element of every gradient to plus or minus its value. The names
    // of the parameters are unique.
    Optimizer(const config::Optimizer& options, std::optional<double> gradient_clipping,
              std::vector<NamedParameter> parameters);
    ~Optimizer();
    Optimizer(const Optimizer&) = delete;
    Optimizer& operator=(const Optimizer&) = delete;

    // Leaves the gradients undefined, so that the next backward pass need not add to zeros.
    void forget_gradients();

    // Clips the gradients, then changes the parameters. LBFGS calls the closure, which must compute
    // the gradients anew and give the loss.
    void step(const std::function<at::Tensor()>& closure = nullptr);

    // All that the optimizer has learnt of its parameters, and its options as they are by now; see
    // optimizer_state.hpp. A restored one goes on with the same bits.
    [[nodiscard]] SavedState save() const;
    void restore(const SavedState& saved);

private:
    [[nodiscard]] OptimizerView view() const;

    std::string type_;
    std::vector<std::string> groups_ = {""};
    std::vector<NamedParameter> parameters_;
    std::optional<double> gradient_clipping_;
    std::unique_ptr<torch::optim::Optimizer> optimizer_;
};

}  // namespace ptp::engine
