// Computes the attention of several heads, and fills its weights as PyTorch does.

#include "transformer_attention.hpp"

#include "attention_scores.hpp"

#include <ATen/ATen.h>

#include <cmath>
#include <vector>

namespace transformer {

Attention::Attention(torch::nn::Module& owner, const char* name, const AttentionOptions& options)
    : options_(options) {
    const int64_t size = options.size;
    const double bound = std::sqrt(6.0 / static_cast<double>(4 * size));  // Xavier's
    in_weight_ = net_->register_parameter("in_proj_weight",
                                          at::empty({3 * size, size}).uniform_(-bound, bound));
    in_bias_ = net_->register_parameter("in_proj_bias", at::zeros({3 * size}));
    torch::nn::Linear out(size, size);
    out->bias.detach().zero_();
    out_ = net_->register_module("out_proj", out);
    owner.register_module(name, net_);
}

at::Tensor Attention::to_itself(const at::Tensor& values, const at::Tensor& is_out,
                                at::Tensor* map) {
    const std::vector<at::Tensor> parts =  // [B, S, 3 E] -> 3 x [B, heads, S, E / heads]
        at::linear(values, in_weight_, in_bias_)
            .view({values.size(0), values.size(1), 3, options_.num_heads,
                   options_.size / options_.num_heads})
            .permute({2, 0, 3, 1, 4})
            .unbind(0);
    return attended(parts[0], parts[1], parts[2], is_out, map);
}

at::Tensor Attention::to_memory(const at::Tensor& values, const at::Tensor& memory,
                                const at::Tensor& is_out, at::Tensor* map) {
    const int64_t size = options_.size;
    const int64_t heads = options_.num_heads;
    const at::Tensor queries =  // [B, T, E] -> [B, heads, T, E / heads]
        at::linear(values, in_weight_.narrow(0, 0, size), in_bias_.narrow(0, 0, size))
            .view({values.size(0), values.size(1), heads, size / heads})
            .transpose(1, 2);
    const std::vector<at::Tensor> parts =  // [B, S, 2 E] -> 2 x [B, heads, S, E / heads]
        at::linear(memory, in_weight_.narrow(0, size, 2 * size), in_bias_.narrow(0, size, 2 * size))
            .view({memory.size(0), memory.size(1), 2, heads, size / heads})
            .permute({2, 0, 3, 1, 4})
            .unbind(0);
    return attended(queries, parts[0], parts[1], is_out, map);
}

at::Tensor Attention::attended(const at::Tensor& queries, const at::Tensor& keys,
                               const at::Tensor& values, const at::Tensor& is_out,
                               at::Tensor* map) {
    at::Tensor scores =
        at::matmul(queries, keys.transpose(2, 3)) / std::sqrt(static_cast<double>(keys.size(3)));
    if (is_out.defined()) {
        scores = ptp::support::with_left_out(scores, is_out);
    }
    const at::Tensor weights = scores.softmax(3);
    if (map != nullptr) {
        *map = weights;
    }
    const at::Tensor sums =
        at::matmul(at::dropout(weights, options_.dropout_rate, net_->is_training()), values);
    return out_->forward(
        sums.transpose(1, 2).reshape({queries.size(0), queries.size(2), options_.size}));
}

}  // namespace transformer
