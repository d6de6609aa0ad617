// One layer of a transformer, as torch.nn.TransformerEncoderLayer has it: the same formulas, names
// and initial values.
#pragma once

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/normalization.h>

#include <cstdint>
#include <memory>
#include <string>

namespace transformer {

enum class Activation { kRelu, kGelu };

struct LayerOptions {
    int64_t size = 0;  // of a step's vector; num_heads is a divisor of it
    int64_t num_heads = 1;
    int64_t feedforward_size = 1;
    double dropout_rate = 0.0;
    Activation activation = Activation::kRelu;
    bool is_norm_first = false;
};

class Layer {
public:
    // Its weights are in `owner`, as `name`.
    Layer(torch::nn::Module& owner, const std::string& name, const LayerOptions& options);

    // [B, S, E] -> [B, S, E]. `is_out`: true where a step, the second to last dimension, does not
    // attend to another, the last one; fits [B, heads, S, S]; undefined: nowhere.
    [[nodiscard]] at::Tensor forward(const at::Tensor& values, const at::Tensor& is_out);

private:
    [[nodiscard]] at::Tensor attended(const at::Tensor& values, const at::Tensor& is_out);
    [[nodiscard]] at::Tensor fed_forward(const at::Tensor& values);
    [[nodiscard]] at::Tensor dropped(const at::Tensor& values) const;

    LayerOptions options_;
    std::shared_ptr<torch::nn::Module> net_ = std::make_shared<torch::nn::Module>();
    at::Tensor in_weight_;  // these two as the module has registered them
    at::Tensor in_bias_;
    torch::nn::Linear out_ = nullptr;
    torch::nn::Linear linear1_ = nullptr;
    torch::nn::Linear linear2_ = nullptr;
    torch::nn::LayerNorm norm1_ = nullptr;
    torch::nn::LayerNorm norm2_ = nullptr;
};

}  // namespace transformer
