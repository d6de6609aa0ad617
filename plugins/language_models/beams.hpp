// The beginnings of sentences that a beam search keeps.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>

// W beginnings of each of B samples are B W samples of their own, one after the other. At first
// there is one beginning of each sample; of those that a sample continues, the best comes first.
class Beams {
public:
    struct Sizes {
        int64_t samples;  // B
        int64_t width;    // W
        int64_t words;    // P
    };

    // A beginning that has written `end` continues with it alone, at no cost. The options are those
    // of the scores.
    Beams(Sizes sizes, std::optional<int64_t> end, const at::TensorOptions& options);

    struct Next {
        at::Tensor from;   // [B W], the number of the beginning that each continues
        at::Tensor words;  // [B W], the word that it adds
    };
    // Keeps the continuations with the highest sums of log-probabilities. `scores` is [B W, P].
    Next extend(const at::Tensor& scores);

    // Returns the numbers of the best beginnings, [B].
    [[nodiscard]] const at::Tensor& best() const { return best_; }

private:
    Sizes sizes_;
    std::optional<int64_t> end_;
    at::Tensor sums_;      // [B, W], of log-probabilities
    at::Tensor best_;      // [B]
    at::Tensor only_end_;  // [P], log-probabilities of words after the end
    at::Tensor ended_;     // [B W], whether a beginning has written the end; at first undefined
};
