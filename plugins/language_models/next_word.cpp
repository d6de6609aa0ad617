// Chooses words greedily, or draws them: from the top k (Fan et al. 2018, arXiv 1805.04833), or
// from the nucleus (Holtzman et al. 2019, arXiv 1904.09751).

#include "next_word.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <limits>
#include <tuple>

namespace gpt {

at::Tensor sampled_probabilities(const at::Tensor& scores, const NextWordOptions& options) {
    constexpr double kNever = -std::numeric_limits<double>::infinity();
    at::Tensor logits = scores.to(at::kFloat) / options.temperature;
    if (options.top_k) {
        const int64_t count = std::min(*options.top_k, logits.size(1));
        const at::Tensor least = std::get<0>(logits.topk(count, 1)).narrow(1, count - 1, 1);
        logits = logits.masked_fill(logits.lt(least), kNever);
    }
    if (options.top_p) {
        const auto [sorted, places] = logits.sort(1, true);
        const at::Tensor probabilities = sorted.softmax(1);
        // The sum before a word: the first word that reaches top_p stays.
        const at::Tensor is_excluded = (probabilities.cumsum(1) - probabilities).ge(*options.top_p);
        is_excluded.select(1, 0).fill_(false);
        logits =
            logits.masked_fill(at::zeros_like(is_excluded).scatter(1, places, is_excluded), kNever);
    }
    return logits.softmax(1);
}

at::Tensor next_words(const at::Tensor& scores, const NextWordOptions& options,
                      const at::Generator& generator) {
    if (options.decoding == Decoding::kGreedy) {
        return scores.argmax(1);
    }
    return at::multinomial(sampled_probabilities(scores, options), 1, false, generator).squeeze(1);
}

}  // namespace gpt
