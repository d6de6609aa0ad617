// GPT-2's block: causal attention, with or without a cache of keys and values, and the MLP. A step
// is a position of the sequence.

#include "gpt_layer.hpp"

#include <ATen/ATen.h>

#include <cmath>
#include <vector>

namespace gpt {

namespace {

constexpr double kWeightDeviation = 0.02;  // of initial weights

// Returns the deviation of what is added to the sums of a network: smaller the more layers add.
double added_deviation(const LayerOptions& options) {
    return kWeightDeviation / std::sqrt(2.0 * static_cast<double>(options.num_layers));
}

torch::nn::LayerNorm layer_norm(int64_t size) {
    return torch::nn::LayerNorm(torch::nn::LayerNormOptions({size}));
}

}  // namespace

Projection::Projection(torch::nn::Module& owner, const char* name, int64_t inputs, int64_t outputs,
                       double deviation) {
    const auto net = std::make_shared<torch::nn::Module>();
    weight_ =
        net->register_parameter("weight", at::empty({inputs, outputs}).normal_(0.0, deviation));
    bias_ = net->register_parameter("bias", at::zeros({outputs}));
    owner.register_module(name, net);
}

at::Tensor Projection::forward(const at::Tensor& values) const {
    return at::addmm(bias_, values.reshape({-1, values.size(2)}), weight_)
        .view({values.size(0), values.size(1), weight_.size(1)});
}

Layer::Layer(torch::nn::Module& owner, const std::string& name, const LayerOptions& options)
    : options_(options),
      norm1_(net_->register_module("ln_1", layer_norm(options.size))),
      in_(*attention_, "c_attn", options.size, 3 * options.size, kWeightDeviation),
      out_(*attention_, "c_proj", options.size, options.size, added_deviation(options)),
      norm2_(nullptr),  // registered below, after the attention: the order of GPT2Block
      hidden_(*mlp_, "c_fc", options.size, options.feedforward_size, kWeightDeviation),
      shrunk_(*mlp_, "c_proj", options.feedforward_size, options.size, added_deviation(options)) {
    net_->register_module("attn", attention_);
    norm2_ = net_->register_module("ln_2", layer_norm(options.size));
    net_->register_module("mlp", mlp_);
    owner.register_module(name, net_);
}

at::Tensor Layer::forward(const at::Tensor& values, const at::Tensor& mask, Cache* cache) {
    const at::Tensor sums =
        values + dropped(out_.forward(attended(norm1_->forward(values), mask, cache)));
    const at::Tensor hidden = at::gelu(hidden_.forward(norm2_->forward(sums)), "tanh");
    return sums + dropped(shrunk_.forward(hidden));
}

at::Tensor Layer::attended(const at::Tensor& values, const at::Tensor& mask, Cache* cache) {
    const int64_t samples = values.size(0);
    const int64_t steps = values.size(1);
    const int64_t size = options_.size / options_.num_heads;
    const std::vector<at::Tensor> parts =  // [B, S, 3 E] -> 3 x [B, heads, S, E / heads]
        in_.forward(values)
            .view({samples, steps, 3, options_.num_heads, size})
            .permute({2, 0, 3, 1, 4})
            .unbind(0);
    at::Tensor keys = parts[1];
    at::Tensor attended_values = parts[2];
    if (cache != nullptr) {
        cache->keys.narrow(2, cache->count, steps).copy_(keys);
        cache->values.narrow(2, cache->count, steps).copy_(attended_values);
        cache->count += steps;
        if (cache->count > steps) {  // some are known before these
            keys = cache->keys.narrow(2, 0, cache->count);
            attended_values = cache->values.narrow(2, 0, cache->count);
        }
    }
    const at::Tensor queries = parts[0] * (1.0 / std::sqrt(static_cast<double>(size)));
    const at::Tensor scores = at::matmul(queries, keys.transpose(2, 3)) + mask;
    const at::Tensor weights =
        at::dropout(scores.softmax(3), options_.attention_dropout_rate, net_->is_training());
    return at::matmul(weights, attended_values)
        .transpose(1, 2)
        .reshape({samples, steps, options_.size});
}

at::Tensor Layer::dropped(const at::Tensor& values) const {
    return at::dropout(values, options_.dropout_rate, net_->is_training());
}

}  // namespace gpt
