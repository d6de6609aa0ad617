// Computes the attention of each step to all others, and the feed-forward part of a layer; each is
// added to its input and normalized afterwards.

#include "bert_layer.hpp"

#include "attention_scores.hpp"

#include <ATen/ATen.h>

#include <cmath>

namespace bert {

torch::nn::Linear linear(int64_t inputs, int64_t outputs) {
    torch::nn::Linear made(inputs, outputs);
    made->weight.detach().normal_(0.0, kDeviation);
    made->bias.detach().zero_();
    return made;
}

torch::nn::LayerNorm norm(int64_t size) {
    return torch::nn::LayerNorm(torch::nn::LayerNormOptions({size}).eps(1e-12));
}

Layer::Layer(torch::nn::Module& owner, const std::string& name, const LayerOptions& options)
    : options_(options) {
    const auto part = [] { return std::make_shared<torch::nn::Module>(); };
    const auto attention = part();
    const auto self = part();
    query_ = self->register_module("query", linear(options.size, options.size));
    key_ = self->register_module("key", linear(options.size, options.size));
    value_ = self->register_module("value", linear(options.size, options.size));
    attention->register_module("self", self);
    const auto attention_out = part();
    attention_out_ = attention_out->register_module("dense", linear(options.size, options.size));
    attention_norm_ = attention_out->register_module("LayerNorm", norm(options.size));
    attention->register_module("output", attention_out);
    net_->register_module("attention", attention);
    const auto intermediate = part();
    hidden_ =
        intermediate->register_module("dense", linear(options.size, options.feedforward_size));
    net_->register_module("intermediate", intermediate);
    const auto out = part();
    out_ = out->register_module("dense", linear(options.feedforward_size, options.size));
    norm_ = out->register_module("LayerNorm", norm(options.size));
    net_->register_module("output", out);
    owner.register_module(name, net_);
}

at::Tensor Layer::forward(const at::Tensor& values, const at::Tensor& is_out) {
    const at::Tensor sums = attention_norm_->forward(
        dropped(attention_out_->forward(attended(values, is_out))) + values);
    const at::Tensor hidden = at::gelu(hidden_->forward(sums));
    return norm_->forward(dropped(out_->forward(hidden)) + sums);
}

at::Tensor Layer::attended(const at::Tensor& values, const at::Tensor& is_out) {
    const int64_t size = options_.size / options_.num_heads;
    const auto by_head = [&](torch::nn::Linear& layer) {  // [B, S, E] -> [B, heads, S, E / heads]
        return layer->forward(values)
            .view({values.size(0), values.size(1), options_.num_heads, size})
            .transpose(1, 2);
    };
    const at::Tensor queries = by_head(query_) * (1.0 / std::sqrt(static_cast<double>(size)));
    at::Tensor scores = at::matmul(queries, by_head(key_).transpose(2, 3));
    if (is_out.defined()) {
        scores = ptp::support::with_left_out(scores, is_out);
    }
    const at::Tensor weights =
        at::dropout(scores.softmax(3), options_.attention_dropout_rate, net_->is_training());
    return at::matmul(weights, by_head(value_)).transpose(1, 2).reshape(values.sizes());
}

at::Tensor Layer::dropped(const at::Tensor& values) const {
    return at::dropout(values, options_.dropout_rate, net_->is_training());
}

}  // namespace bert
