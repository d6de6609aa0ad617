#include "loss_cases.hpp"

namespace triplet_loss_test {

namespace {

using test::sines;

const test::Inputs kInputs{{"anchors", sines({5, 3}, 0.2)},
                           {"positives", sines({5, 3}, 0.9)},
                           {"negatives", sines({5, 3}, 1.1)}};

test::LossCase with(const std::string& golden, const std::string& settings,
                    test::Inputs more = {}) {
    more.insert(kInputs.begin(), kInputs.end());
    return {golden, settings, std::move(more), {"anchors", "positives", "negatives"}};
}

}  // namespace

TEST_CASE("TripletLoss: loss and gradients are PyTorch's for each norm, with and without swap") {
    for (const std::string p : {"1.0", "2.0", "3.5"}) {
        test::check_golden("TripletLoss", with(p + ".keep", "margin = 0.8\np = " + p));
        test::check_golden("TripletLoss", with(p + ".swap", "margin = 0.8\nswap = true\np = " + p));
    }
}

TEST_CASE("TripletLoss: samples count by masks and weights") {
    test::check_golden("TripletLoss",
                       with("masked", "use_masking = true", {{"masks", test::some_masks({5})}}));
    test::check_golden("TripletLoss", with("weighted", "use_sample_weights = true",
                                           {{"sample_weights", test::sample_weights(5)}}));
}

TEST_CASE("TripletLoss: what does not count has no effect, and means over batches are exact") {
    test::check_counting("TripletLoss", with("", "use_masking = true"));
}

TEST_CASE("TripletLoss: equal vectors are a margin apart from right, with a finite gradient") {
    auto loss = test::build("losses", "TripletLoss", "margin = 0.25");
    const at::Tensor vectors = torch::ones({2, 3}).requires_grad_();
    const at::Tensor value = loss.forward(vectors, vectors, vectors);
    CHECK(value.item<double>() == doctest::Approx(0.25));
    value.backward();
    CHECK(vectors.grad().isfinite().all().item<bool>());
}

TEST_CASE("TripletLoss: vectors of other sizes are refused") {
    CHECK(test::refusal("TripletLoss", with("", "", {{"negatives", sines({5, 1}, 0)}})) ==
          "negatives has the sizes [5, 1], must have [5, 3], as anchors has");
    CHECK(test::refusal("TripletLoss", with("", "", {{"positives", sines({4, 3}, 0)}})) ==
          "positives has the sizes [4, 3], must have [5, 3], as anchors has");
    CHECK(test::refusal("TripletLoss",
                        with("", "use_masking = true", {{"masks", test::some_masks({4})}})) ==
          "masks has the sizes [4], must have [5], as anchors has");
}

}  // namespace triplet_loss_test
