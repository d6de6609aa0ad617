// The optimizer of [training.optimizer], one of libtorch's.

#pragma once

#include "config/experiment.hpp"

#include <ATen/core/Tensor.h>

#include <memory>
#include <optional>
#include <vector>

namespace torch::optim {
class Optimizer;
}

namespace ptp::engine {

// [main]
class Optimizer {
public:
    // `gradient_clipping` cuts every element of every gradient to plus or minus its value.
    Optimizer(const config::Optimizer& options, std::optional<double> gradient_clipping,
              std::vector<at::Tensor> parameters);
    ~Optimizer();
    Optimizer(const Optimizer&) = delete;
    Optimizer& operator=(const Optimizer&) = delete;

    // Leaves the gradients undefined, so that the next backward pass need not add to zeros.
    void forget_gradients();

    // Clips the gradients, then changes the parameters.
    void step();

private:
    std::vector<at::Tensor> parameters_;
    std::optional<double> gradient_clipping_;
    std::unique_ptr<torch::optim::Optimizer> optimizer_;
};

}  // namespace ptp::engine
