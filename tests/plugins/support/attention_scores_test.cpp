#include "attention_scores.hpp"

#include <ATen/ATen.h>
#include <doctest/doctest.h>

namespace attention_scores_test {

using ptp::support::with_left_out;

TEST_CASE("attention scores: what is left out has no share, in every type of numbers") {
    const at::Tensor is_out = at::tensor({0, 1, 0, 1, 1, 1}).to(at::kBool).view({2, 3});
    // e^0 and e^1 of their sum; and a row in which all are left out, which stays finite.
    const at::Tensor expected =
        at::tensor({0.26894142, 0.0, 0.73105858, 1.0 / 3, 1.0 / 3, 1.0 / 3}, at::kFloat)
            .view({2, 3});
    for (const at::ScalarType type : {at::kHalf, at::kBFloat16, at::kFloat, at::kDouble}) {
        CAPTURE(c10::toString(type));
        const at::Tensor scores = at::tensor({0.0, 5.0, 1.0, 1.0, 2.0, 3.0}).view({2, 3}).to(type);
        const at::Tensor shares = with_left_out(scores, is_out).softmax(1);
        CHECK((shares.scalar_type() == (type == at::kDouble ? at::kDouble : at::kFloat)));
        CHECK(at::allclose(shares.to(at::kFloat), expected, 1e-6, 1e-6));
        CHECK(shares[0][1].item<double>() == 0);
    }
}

TEST_CASE("attention scores: those that stay are as they were") {
    const at::Tensor scores = at::tensor({-3.5, 1e4, 0.25}, at::kFloat).view({1, 3});
    const at::Tensor is_out = at::tensor({0, 0, 1}).to(at::kBool).view({1, 3});
    const at::Tensor kept = with_left_out(scores, is_out);
    CHECK(at::equal(kept.narrow(1, 0, 2), scores.narrow(1, 0, 2)));
}

}  // namespace attention_scores_test
