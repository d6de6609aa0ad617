// Computes self-attention, attention to a memory and the feed-forward part of one layer.

#include "transformer_layer.hpp"

#include <ATen/ATen.h>

#include <cmath>

namespace transformer {

namespace {

AttentionOptions attention_options(const LayerOptions& options) {
    return {
        .size = options.size, .num_heads = options.num_heads, .dropout_rate = options.dropout_rate};
}

}  // namespace

Layer::Layer(torch::nn::Module& owner, const std::string& name, const LayerOptions& options)
    : options_(options), attention_(*net_, "self_attn", attention_options(options)) {
    const int64_t size = options.size;
    if (options.has_memory) {
        memory_attention_.emplace(*net_, "multihead_attn", attention_options(options));
    }
    linear1_ = net_->register_module("linear1", torch::nn::Linear(size, options.feedforward_size));
    linear2_ = net_->register_module("linear2", torch::nn::Linear(options.feedforward_size, size));
    const auto norm = [&](const char* of) {
        return net_->register_module(of, torch::nn::LayerNorm(torch::nn::LayerNormOptions({size})));
    };
    norm1_ = norm("norm1");
    norm2_ = norm("norm2");
    if (options.has_memory) {
        norm3_ = norm("norm3");
    }
    owner.register_module(name, net_);
}

at::Tensor Layer::forward(const at::Tensor& values, const at::Tensor& is_out, at::Tensor* map) {
    if (options_.is_norm_first) {
        const at::Tensor sums =
            values + dropped(attention_.to_itself(norm1_->forward(values), is_out, map));
        return sums + dropped(fed_forward(norm2_->forward(sums)));
    }
    const at::Tensor sums =
        norm1_->forward(values + dropped(attention_.to_itself(values, is_out, map)));
    return norm2_->forward(sums + dropped(fed_forward(sums)));
}

at::Tensor Layer::forward(const at::Tensor& values, const at::Tensor& is_out,
                          const at::Tensor& memory, const at::Tensor& is_memory_out,
                          at::Tensor* map) {
    const auto asked = [&](const at::Tensor& steps) {
        return dropped(memory_attention_->to_memory(steps, memory, is_memory_out, map));
    };
    if (options_.is_norm_first) {
        at::Tensor sums =
            values + dropped(attention_.to_itself(norm1_->forward(values), is_out, nullptr));
        sums = sums + asked(norm2_->forward(sums));
        return sums + dropped(fed_forward(norm3_->forward(sums)));
    }
    at::Tensor sums =
        norm1_->forward(values + dropped(attention_.to_itself(values, is_out, nullptr)));
    sums = norm2_->forward(sums + asked(sums));
    return norm3_->forward(sums + dropped(fed_forward(sums)));
}

at::Tensor Layer::fed_forward(const at::Tensor& values) {
    const at::Tensor hidden = linear1_->forward(values);
    return linear2_->forward(
        dropped(options_.activation == Activation::kRelu ? hidden.relu() : at::gelu(hidden)));
}

at::Tensor Layer::dropped(const at::Tensor& values) const {
    return at::dropout(values, options_.dropout_rate, net_->is_training());
}

at::Tensor positions(const at::Tensor& inputs) {
    constexpr double kMaxPeriod = 10000;  // of the wave lengths, over 2 pi
    const int64_t size = inputs.size(2);
    const at::TensorOptions options = inputs.options().dtype(at::kFloat).requires_grad(false);
    const at::Tensor element = at::arange(size, options);
    const at::Tensor pair = element.div(2).floor().mul(2.0 / static_cast<double>(size));
    const at::Tensor angle = at::arange(inputs.size(1), options).unsqueeze(1) *
                             pair.mul(-std::log(kMaxPeriod)).exp();  // -> [S, E]
    return at::where(element.remainder(2).eq(0), angle.sin(), angle.cos()).to(inputs.scalar_type());
}

at::Tensor padding(const at::Tensor& lengths, int64_t steps) {
    return at::arange(steps, lengths.options().dtype(at::kLong)).ge(lengths.unsqueeze(1));
}

at::Tensor later(int64_t steps, at::Device device) {
    const at::Tensor places = at::arange(steps, at::TensorOptions(device).dtype(at::kLong));
    return places.unsqueeze(0).gt(places.unsqueeze(1));
}

}  // namespace transformer
