// Initializers of weights by their names.
#pragma once

#include <ptp/settings.hpp>

#include <torch/nn/init.h>

namespace layers {

enum class Initializer {
    kDefault,
    kKaimingUniform,
    kKaimingNormal,
    kXavierUniform,
    kXavierNormal,
    kOrthogonal,
    kNormal,
    kZeros,
    kOnes
};

// Sets the numbers of a tensor; kDefault leaves them as torch.nn made them. The functions are those
// of torch.nn.init with their defaults; the Kaiming ones for a ReLU.
inline void initialize(const at::Tensor& tensor, Initializer initializer) {
    switch (initializer) {
        case Initializer::kKaimingUniform:
            torch::nn::init::kaiming_uniform_(tensor, 0, torch::kFanIn, torch::kReLU);
            break;
        case Initializer::kKaimingNormal:
            torch::nn::init::kaiming_normal_(tensor, 0, torch::kFanIn, torch::kReLU);
            break;
        case Initializer::kXavierUniform:
            torch::nn::init::xavier_uniform_(tensor);
            break;
        case Initializer::kXavierNormal:
            torch::nn::init::xavier_normal_(tensor);
            break;
        case Initializer::kOrthogonal:
            torch::nn::init::orthogonal_(tensor);
            break;
        case Initializer::kNormal:
            torch::nn::init::normal_(tensor);
            break;
        case Initializer::kZeros:
            torch::nn::init::zeros_(tensor);
            break;
        case Initializer::kOnes:
            torch::nn::init::ones_(tensor);
            break;
        case Initializer::kDefault:
            break;
    }
}

template <class Config>
constexpr auto weight_init_setting() {
    return ptp::setting(
        "weight_init", &Config::weight_init,
        {.help = "How the weights are initialized",
         .choices =
             "default|kaiming_uniform|kaiming_normal|xavier_uniform|xavier_normal|orthogonal|normal|zeros|ones"});
}

}  // namespace layers
