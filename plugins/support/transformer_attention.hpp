// Attention with several heads, with the formulas, names and initial values of
// torch.nn.MultiheadAttention.
#pragma once

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>
#include <torch/nn/modules/linear.h>

#include <cstdint>
#include <memory>

namespace transformer {

struct AttentionOptions {
    int64_t size = 0;  // of a step's vector; divisible by num_heads
    int64_t num_heads = 1;
    double dropout_rate = 0.0;
};

class Attention {
public:
    // The weights are in `owner`, as `name`.
    Attention(torch::nn::Module& owner, const char* name, const AttentionOptions& options);

    // Attends from each step to all of the same sequence: [B, S, E] -> [B, S, E]. `is_out` is true
    // where a step, the second to last dimension, does not attend to another, the last one;
    // broadcasts to [B, heads, S, S]; undefined: nowhere. `map` (optional) receives the weights,
    // [B, heads, S, S], before dropout.
    [[nodiscard]] at::Tensor to_itself(const at::Tensor& values, const at::Tensor& is_out,
                                       at::Tensor* map);
    // Attends from each step, [B, T, E], to all of a memory, [B, S, E] -> [B, T, E].
    [[nodiscard]] at::Tensor to_memory(const at::Tensor& values, const at::Tensor& memory,
                                       const at::Tensor& is_out, at::Tensor* map);

private:
    [[nodiscard]] at::Tensor attended(const at::Tensor& queries, const at::Tensor& keys,
                                      const at::Tensor& values, const at::Tensor& is_out,
                                      at::Tensor* map);

    AttentionOptions options_;
    std::shared_ptr<torch::nn::Module> net_ = std::make_shared<torch::nn::Module>();
    at::Tensor in_weight_;  // both as registered by the module
    at::Tensor in_bias_;
    torch::nn::Linear out_ = nullptr;
};

}  // namespace transformer
