// One layer of a transformer, with the formulas, names and initial values of
// torch.nn.TransformerEncoderLayer or TransformerDecoderLayer.
#pragma once

#include "transformer_attention.hpp"

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/normalization.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace transformer {

enum class Activation { kRelu, kGelu };

struct LayerOptions {
    int64_t size = 0;  // of a step's vector; divisible by num_heads
    int64_t num_heads = 1;
    int64_t feedforward_size = 1;
    double dropout_rate = 0.0;
    Activation activation = Activation::kRelu;
    bool is_norm_first = false;
    bool has_memory = false;  // true in a decoder
};

class Layer {
public:
    // The weights are in `owner`, as `name`.
    Layer(torch::nn::Module& owner, const std::string& name, const LayerOptions& options);

    // Computes [B, S, E] -> [B, S, E]. `is_out` is true where a step does not attend to another;
    // `map` (optional) receives the weights; see Attention.
    [[nodiscard]] at::Tensor forward(const at::Tensor& values, const at::Tensor& is_out,
                                     at::Tensor* map);
    // Computes a decoder's layer, [B, T, E] with a memory of [B, S, E]; `map` receives the weights
    // of attention to the memory.
    [[nodiscard]] at::Tensor forward(const at::Tensor& values, const at::Tensor& is_out,
                                     const at::Tensor& memory, const at::Tensor& is_memory_out,
                                     at::Tensor* map);

private:
    [[nodiscard]] at::Tensor fed_forward(const at::Tensor& values);
    [[nodiscard]] at::Tensor dropped(const at::Tensor& values) const;

    LayerOptions options_;
    std::shared_ptr<torch::nn::Module> net_ = std::make_shared<torch::nn::Module>();
    Attention attention_;
    std::optional<Attention> memory_attention_;
    torch::nn::Linear linear1_ = nullptr;
    torch::nn::Linear linear2_ = nullptr;
    torch::nn::LayerNorm norm1_ = nullptr;
    torch::nn::LayerNorm norm2_ = nullptr;
    torch::nn::LayerNorm norm3_ = nullptr;  // only in a decoder
};

// Returns waves that distinguish steps: sin(p / 10000^(2i/E)) in element 2i of step p, the cosine
// in element 2i + 1; [S, E] for inputs of [B, S, E].
at::Tensor positions(const at::Tensor& inputs);

// Returns whether a step is after the end of its sequence: lengths [B] -> [B, `steps`].
at::Tensor padding(const at::Tensor& lengths, int64_t steps);

// Returns whether a step comes before another: [S, S].
at::Tensor later(int64_t steps, at::Device device);

}  // namespace transformer
