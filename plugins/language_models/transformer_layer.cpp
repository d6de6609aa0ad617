#include "transformer_layer.hpp"

#include <ATen/ATen.h>

#include <cmath>
#include <vector>

namespace transformer {

Layer::Layer(torch::nn::Module& owner, const std::string& name, const LayerOptions& options)
    : options_(options) {
    const int64_t size = options.size;
    const auto attention = std::make_shared<torch::nn::Module>();
    const double bound = std::sqrt(6.0 / static_cast<double>(4 * size));  // Xavier's
    in_weight_ = attention->register_parameter("in_proj_weight",
                                               at::empty({3 * size, size}).uniform_(-bound, bound));
    in_bias_ = attention->register_parameter("in_proj_bias", at::zeros({3 * size}));
    torch::nn::Linear out(size, size);
    out->bias.detach().zero_();
    out_ = attention->register_module("out_proj", out);
    net_->register_module("self_attn", attention);
    linear1_ = net_->register_module("linear1", torch::nn::Linear(size, options.feedforward_size));
    linear2_ = net_->register_module("linear2", torch::nn::Linear(options.feedforward_size, size));
    const auto norm = [&] { return torch::nn::LayerNorm(torch::nn::LayerNormOptions({size})); };
    norm1_ = net_->register_module("norm1", norm());
    norm2_ = net_->register_module("norm2", norm());
    owner.register_module(name, net_);
}

at::Tensor Layer::forward(const at::Tensor& values, const at::Tensor& is_out) {
    if (options_.is_norm_first) {
        const at::Tensor sums = values + dropped(attended(norm1_->forward(values), is_out));
        return sums + dropped(fed_forward(norm2_->forward(sums)));
    }
    const at::Tensor sums = norm1_->forward(values + dropped(attended(values, is_out)));
    return norm2_->forward(sums + dropped(fed_forward(sums)));
}

at::Tensor Layer::attended(const at::Tensor& values, const at::Tensor& is_out) {
    const int64_t samples = values.size(0);
    const int64_t steps = values.size(1);
    const int64_t width = options_.size / options_.num_heads;
    const std::vector<at::Tensor> parts =  // [B, S, 3 E] -> 3 x [B, heads, S, E / heads]
        at::linear(values, in_weight_, in_bias_)
            .view({samples, steps, 3, options_.num_heads, width})
            .permute({2, 0, 3, 1, 4})
            .unbind(0);
    at::Tensor scores =
        at::matmul(parts[0], parts[1].transpose(2, 3)) / std::sqrt(static_cast<double>(width));
    if (is_out.defined()) {
        constexpr double kLowest = -1e30;  // and not infinity, which leads to nan
        scores = scores.to(at::kFloat).masked_fill(is_out, kLowest);
    }
    const at::Tensor sums = at::matmul(dropped(scores.softmax(3)), parts[2]);
    return out_->forward(sums.transpose(1, 2).reshape({samples, steps, options_.size}));
}

at::Tensor Layer::fed_forward(const at::Tensor& values) {
    const at::Tensor hidden = linear1_->forward(values);
    return linear2_->forward(
        dropped(options_.activation == Activation::kRelu ? hidden.relu() : at::gelu(hidden)));
}

at::Tensor Layer::dropped(const at::Tensor& values) const {
    return at::dropout(values, options_.dropout_rate, net_->is_training());
}

}  // namespace transformer
