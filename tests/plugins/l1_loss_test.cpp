#include "loss_cases.hpp"

namespace l1_loss_test {

namespace {

using test::sines;

const test::Inputs kInputs{{"predictions", sines({5, 3}, 0.2)}, {"targets", sines({5, 3}, 2.0)}};

}  // namespace

TEST_CASE("L1Loss: loss and gradient are PyTorch's, with masks, weights and both") {
    test::check_element_goldens("L1Loss", kInputs);
}

TEST_CASE("L1Loss: what does not count has no effect, and means over batches are exact") {
    test::check_counting("L1Loss", {"", "use_masking = true", kInputs});
}

TEST_CASE("L1Loss: targets of other sizes are refused, not stretched") {
    CHECK(test::refusal("L1Loss", {"",
                                   "num_targets_dims = 1",
                                   {{"predictions", sines({5}, 0)}, {"targets", sines({1}, 0)}}}) ==
          "targets has the sizes [1], must have [5], as predictions has");
}

TEST_CASE("L1Loss: the gradient where prediction and target are equal is 0") {
    auto loss = test::build("losses", "L1Loss");
    const at::Tensor predictions = test::floats({1, 5}, {1, 2}).requires_grad_();
    loss.forward(test::floats({1, 3}, {1, 2}), predictions).backward();
    CHECK(torch::equal(predictions.grad(), test::floats({0, 0.5}, {1, 2})));
}

}  // namespace l1_loss_test
