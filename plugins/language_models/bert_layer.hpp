// One layer of a BERT, with the formulas, names and initial values of Hugging Face's BertLayer.
#pragma once

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/normalization.h>

#include <cstdint>
#include <memory>
#include <string>

namespace bert {

struct LayerOptions {
    int64_t size = 0;  // of a step's vector; divisible by num_heads
    int64_t num_heads = 1;
    int64_t feedforward_size = 1;
    double dropout_rate = 0.0;
    double attention_dropout_rate = 0.0;
};

inline constexpr double kDeviation = 0.02;  // of initial weights

// Returns a layer whose weight is drawn from N(0, kDeviation), with a bias of 0.
torch::nn::Linear linear(int64_t inputs, int64_t outputs);

// Returns a normalization with the epsilon of the published networks.
torch::nn::LayerNorm norm(int64_t size);

class Layer {
public:
    // The weights are in `owner`, as `name`.
    Layer(torch::nn::Module& owner, const std::string& name, const LayerOptions& options);

    // Computes [B, S, E] -> [B, S, E]. `is_out` is true for steps that none attends to, [B, 1, 1,
    // S]; undefined: nowhere.
    [[nodiscard]] at::Tensor forward(const at::Tensor& values, const at::Tensor& is_out);

private:
    [[nodiscard]] at::Tensor attended(const at::Tensor& values, const at::Tensor& is_out);
    [[nodiscard]] at::Tensor dropped(const at::Tensor& values) const;

    LayerOptions options_;
    std::shared_ptr<torch::nn::Module> net_ = std::make_shared<torch::nn::Module>();
    torch::nn::Linear query_ = nullptr;
    torch::nn::Linear key_ = nullptr;
    torch::nn::Linear value_ = nullptr;
    torch::nn::Linear attention_out_ = nullptr;
    torch::nn::LayerNorm attention_norm_ = nullptr;
    torch::nn::Linear hidden_ = nullptr;
    torch::nn::Linear out_ = nullptr;
    torch::nn::LayerNorm norm_ = nullptr;
};

}  // namespace bert
