// The graph of a forward pass: guided rectifiers, the layer next to the scores, the scores before a
// softmax, and the ranks of two maps. Expected numbers by hand.

#include "engine/explain/graph.hpp"
#include "engine/explain/judgment.hpp"

#include <ATen/ops/linear.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/tensor.h>
#include <doctest/doctest.h>

#include <cmath>

namespace graph_test {

using namespace ptp::engine;

namespace {

at::Tensor row(const std::vector<double>& numbers) {
    return at::tensor(numbers).view({1, -1});
}

}  // namespace

TEST_CASE("explain: a guided ReLU passes positive gradients where its input is positive") {
    const at::Tensor x = row({1, 2, -3, 4}).requires_grad_();
    // The gradients at the ReLU are 5, -6, 7 and 8; its third input is negative.
    const at::Tensor score = (x.relu() * row({5, -6, 7, 8})).sum();
    CHECK(gradients_of(score, {edge_of(x)})[0].equal(row({5, -6, 0, 8})));
    const at::Tensor again = (x.relu() * row({5, -6, 7, 8})).sum();
    guide_rectifiers(again);
    CHECK(gradients_of(again, {edge_of(x)})[0].equal(row({5, 0, 0, 8})));
}

TEST_CASE("explain: a ReLU that is used twice is guided twice, one in place too") {
    const at::Tensor x = row({1, 2}).requires_grad_();
    const at::Tensor first = x * row({-1, 1});                      // -1, 2 -> 0, 2
    at::Tensor second = first.relu() * row({1, -1}) + row({3, 5});  // 3, 3
    second.relu_();
    const at::Tensor score = (second * row({2, 2})).sum();
    guide_rectifiers(score);
    // Behind the second: 2, 2; behind the first: 2 (its input is negative), and -2, which is cut.
    CHECK(gradients_of(score, {edge_of(x)})[0].equal(row({0, 0})));
    const at::Tensor other = (x * row({-1, 1})).relu() * row({1, -1}) + row({3, 5});
    CHECK(gradients_of((other.relu() * 2).sum(), {edge_of(x)})[0].equal(row({0, -2})));
}

TEST_CASE("explain: nothing is added to the gradients of weights") {
    const at::Tensor weight = row({2, 3}).requires_grad_();
    const at::Tensor x = row({1, 1}).requires_grad_();
    CHECK(gradients_of((x * weight).sum(), {edge_of(x)})[0].equal(row({2, 3})));
    CHECK(!weight.grad().defined());
    CHECK(!x.grad().defined());
}

TEST_CASE("explain: the layer next to the scores is the first matrix on the way back") {
    const at::Tensor first = at::tensor({1.0, 2.0, 3.0, 4.0}).view({2, 2}).requires_grad_();
    const at::Tensor last = at::tensor({1.0, 1.0, 2.0, 2.0}).view({2, 2}).requires_grad_();
    const at::Tensor bias = at::tensor({0.5, 0.5}).requires_grad_();
    const at::Tensor image = row({1, 1}).requires_grad_();
    const at::Tensor hidden = at::linear(image, first).relu();
    const at::Tensor scores = at::linear(hidden, last, bias);
    // An image that is added to the scores is nearer than the weights, and is none of them.
    for (const at::Tensor& made : {scores.select(1, 0), (scores + image).relu().select(1, 0)}) {
        const auto found = last_layer(made, image);
        REQUIRE(found.size() == 2);
        CHECK(found[0].is_same(bias));
        CHECK(found[1].is_same(last));
    }
    CHECK(last_layer((row({1, 2}).requires_grad_().flatten() * 2).sum(), image).size() == 1);
    CHECK(last_layer((image * 2).sum(), image).empty());
}

TEST_CASE("explain: the scores before a softmax are found, whichever of several made them") {
    const SoftmaxWatch watch;
    const at::Tensor scores = row({1, 2});
    const at::Tensor other = at::log_softmax(row({3, 3}), 1);
    const at::Tensor made = at::log_softmax(scores, 1);
    REQUIRE(watch.before(made));
    CHECK(watch.before(made)->is_same(scores));
    CHECK(!watch.before(scores));
    CHECK(!watch.before(other.clone()));
}

TEST_CASE("explain: ranks of equal numbers are the mean of their places") {
    const auto correlation = [](const std::vector<double>& first,
                                const std::vector<double>& second) {
        return rank_correlation(at::tensor(first), at::tensor(second));
    };
    CHECK(correlation({1, 2, 3}, {10, 200, 3000}) == doctest::Approx(1));
    CHECK(correlation({1, 2, 3}, {3, 2, 1}) == doctest::Approx(-1));
    // Ranks 0.5, 0.5, 2 and 1, 0, 2: 1.5 / sqrt(1.5 * 2).
    CHECK(correlation({7, 7, 9}, {5, 4, 6}) == doctest::Approx(0.8660254037844386));
    CHECK(!correlation({1, 1, 1}, {1, 2, 3}));
    CHECK(!correlation({1, std::nan(""), 3, 2}, {1, 2, 3, 4}));
    CHECK(!correlation({1, 2, 3}, {1, HUGE_VAL, 3}));
}

}  // namespace graph_test
