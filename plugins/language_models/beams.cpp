// Sums log-probabilities, and picks the largest of all continuations of a sample.

#include "beams.hpp"

#include <ATen/ATen.h>

#include <limits>
#include <tuple>

namespace {

constexpr float kNever = -std::numeric_limits<float>::infinity();

}  // namespace

Beams::Beams(Sizes sizes, std::optional<int64_t> end, const at::TensorOptions& options)
    : sizes_(sizes), end_(end) {
    const at::TensorOptions real = options.dtype(at::kFloat).requires_grad(false);
    sums_ = at::cat({at::zeros({sizes.samples, 1}, real),
                     at::full({sizes.samples, sizes.width - 1}, kNever, real)},
                    1);
    best_ = at::arange(sizes.samples, real.dtype(at::kLong)) * sizes.width;
    if (end) {
        only_end_ =
            at::where(at::arange(sizes.words, real.dtype(at::kLong)).eq(*end), 0.0F, kNever);
    }
}

Beams::Next Beams::extend(const at::Tensor& scores) {
    at::Tensor shares = scores.to(at::kFloat).log_softmax(1);
    if (ended_.defined()) {
        shares = at::where(ended_.unsqueeze(1), only_end_, shares);
    }
    const at::Tensor more =  // [B, W P]
        (sums_.unsqueeze(2) + shares.view({sizes_.samples, sizes_.width, sizes_.words})).flatten(1);
    at::Tensor place;
    std::tie(sums_, place) = more.topk(sizes_.width, 1);
    const Next next{(place.div(sizes_.words, "floor") + best_.unsqueeze(1)).flatten(),
                    place.remainder(sizes_.words).flatten()};
    if (end_) {
        const at::Tensor ends = next.words.eq(*end_);
        ended_ = ended_.defined() ? ended_.index_select(0, next.from).logical_or(ends) : ends;
    }
    return next;
}
