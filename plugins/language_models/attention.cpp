// Computes the scores of the attention's types, and the sum of the encodings by their softmax.

#include "attention.hpp"

#include "attention_scores.hpp"

#include <ptp/component.hpp>

#include <ATen/ATen.h>

namespace recurrent {

Attention::Attention(torch::nn::Module& owner, const char* name, const AttentionOptions& options)
    : type_(options.type) {
    if (type_ == AttentionType::kPositions) {
        score_ =
            owner.register_module(name, torch::nn::Linear(options.query_size, options.positions));
        return;
    }
    const auto layer = [&](const char* of, int64_t from, int64_t to, bool has_bias) {
        return layers_->register_module(
            of, torch::nn::Linear(torch::nn::LinearOptions(from, to).bias(has_bias)));
    };
    const bool is_additive = type_ == AttentionType::kBahdanau;
    key_ = layer("key", options.encoding_size, options.query_size, false);
    if (is_additive) {
        query_ = layer("query", options.query_size, options.query_size, true);
        score_ = layer("score", options.query_size, 1, false);
    }
    owner.register_module(name, layers_);
}

Attention::Memory Attention::memory(const at::Tensor& encodings, const at::Tensor* lengths) {
    const bool is_by_place = type_ == AttentionType::kPositions;
    if (is_by_place && encodings.size(1) > score_->options.out_features()) {
        throw ptp::DataError("inputs has ", encodings.size(1), " steps, but only ",
                             score_->options.out_features(), " have scores: set max_source_length");
    }
    const auto keys = [&](const at::Tensor& of) {
        return is_by_place ? at::Tensor() : key_->forward(of);
    };
    if (lengths == nullptr) {
        return {.encodings = encodings, .keys = keys(encodings), .is_out = {}};
    }
    const at::Tensor places = at::arange(encodings.size(1), lengths->options().dtype(at::kLong));
    const at::Tensor is_out = places.ge(lengths->unsqueeze(1));  // -> [B, S]
    // The weight 0 does not leave out what is not a number.
    const at::Tensor real = encodings.masked_fill(is_out.unsqueeze(2), 0);
    return {.encodings = real, .keys = keys(real), .is_out = is_out};
}

at::Tensor Attention::context(const at::Tensor& query, const Memory& memory, at::Tensor* map) {
    at::Tensor scores =  // -> [B, S]
        type_ == AttentionType::kBahdanau
            ? score_->forward((query_->forward(query).unsqueeze(1) + memory.keys).tanh()).squeeze(2)
        : type_ == AttentionType::kLuong
            ? at::matmul(memory.keys, query.unsqueeze(2)).squeeze(2)
            : score_->forward(query).narrow(1, 0, memory.encodings.size(1));
    if (memory.is_out.defined()) {
        scores = ptp::support::with_left_out(scores, memory.is_out);
    }
    const at::Tensor weights = scores.softmax(1);
    if (map != nullptr) {
        *map = weights;
    }
    return at::matmul(weights.unsqueeze(1), memory.encodings).squeeze(1);  // -> [B, I]
}

}  // namespace recurrent
