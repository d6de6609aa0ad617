// The choice of the next word by its scores: the best one, or a draw among the likely ones.
#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>

namespace gpt {

enum class Decoding { kGreedy, kSampling };

struct NextWordOptions {
    Decoding decoding = Decoding::kGreedy;
    double temperature = 1.0;
    std::optional<int64_t> top_k;
    std::optional<double> top_p;
};

// Returns the probabilities with which words are drawn: the softmax of scores / temperature over
// the top_k best words, and of these the fewest likeliest whose probabilities add up to top_p.
// [B, P] -> [B, P]
at::Tensor sampled_probabilities(const at::Tensor& scores, const NextWordOptions& options);

// Returns the index of the next word of each sample, [B, P] -> [B].
at::Tensor next_words(const at::Tensor& scores, const NextWordOptions& options,
                      const at::Generator& generator);

}  // namespace gpt
