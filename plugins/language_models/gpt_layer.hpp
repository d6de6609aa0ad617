// One layer of a GPT, with the formulas, names and initial values of Hugging Face's GPT2Block.
#pragma once

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>
#include <torch/nn/modules/normalization.h>

#include <cstdint>
#include <memory>
#include <string>

namespace gpt {

struct LayerOptions {
    int64_t size = 0;  // of a step's vector; divisible by num_heads
    int64_t num_heads = 1;
    int64_t feedforward_size = 1;
    int64_t num_layers = 1;  // of the whole network: initial weights depend on it
    double dropout_rate = 0.0;
    double attention_dropout_rate = 0.0;
};

// A linear function whose weight is stored as [inputs, outputs], transposed to that of
// torch.nn.Linear: the published files have it so.
class Projection {
public:
    // The weights are in `owner`, as `name`; drawn from N(0, deviation).
    Projection(torch::nn::Module& owner, const char* name, int64_t inputs, int64_t outputs,
               double deviation);

    // Computes [B, S, inputs] -> [B, S, outputs].
    [[nodiscard]] at::Tensor forward(const at::Tensor& values) const;

private:
    at::Tensor weight_;  // both as registered by the module
    at::Tensor bias_;
};

// Keys and values of the steps so far, with room for more: [B, heads, room, size / heads].
struct Cache {
    at::Tensor keys;
    at::Tensor values;
    int64_t count = 0;  // of steps that are filled
};

class Layer {
public:
    // The weights are in `owner`, as `name`.
    Layer(torch::nn::Module& owner, const std::string& name, const LayerOptions& options);

    // Computes [B, S, E] -> [B, S, E]. `mask` is added to the scores of the attention, [S, T] or
    // [B, 1, S, T], T the steps that are attended to. With a cache (optional) its steps come
    // before the S ones, which are appended to it.
    [[nodiscard]] at::Tensor forward(const at::Tensor& values, const at::Tensor& mask,
                                     Cache* cache);

private:
    [[nodiscard]] at::Tensor attended(const at::Tensor& values, const at::Tensor& mask,
                                      Cache* cache);
    [[nodiscard]] at::Tensor dropped(const at::Tensor& values) const;

    LayerOptions options_;
    std::shared_ptr<torch::nn::Module> net_ = std::make_shared<torch::nn::Module>();
    std::shared_ptr<torch::nn::Module> attention_ = std::make_shared<torch::nn::Module>();
    std::shared_ptr<torch::nn::Module> mlp_ = std::make_shared<torch::nn::Module>();
    torch::nn::LayerNorm norm1_;
    Projection in_;
    Projection out_;
    torch::nn::LayerNorm norm2_;
    Projection hidden_;
    Projection shrunk_;
};

}  // namespace gpt
