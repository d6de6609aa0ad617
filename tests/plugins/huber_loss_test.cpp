#include "loss_cases.hpp"

namespace huber_loss_test {

namespace {

using test::sines;

const test::Inputs kInputs{{"predictions", sines({5, 3}, 0.2)}, {"targets", sines({5, 3}, 2.0)}};

}  // namespace

TEST_CASE("HuberLoss: loss and gradient are PyTorch's, with masks, weights and both") {
    test::check_element_goldens("HuberLoss", kInputs);
}

TEST_CASE("HuberLoss: what does not count has no effect, and means over batches are exact") {
    test::check_counting("HuberLoss", {"", "use_masking = true", kInputs});
}

TEST_CASE("HuberLoss: targets of other sizes are refused, not stretched") {
    CHECK(test::refusal("HuberLoss",
                        {"",
                         "num_targets_dims = 1",
                         {{"predictions", sines({5}, 0)}, {"targets", sines({1}, 0)}}}) ==
          "targets has the sizes [1], must have [5], as predictions has");
}

TEST_CASE("HuberLoss: delta is where it becomes linear, however small or large") {
    for (const char* delta : {"0.001", "0.5", "100.0"}) {
        test::check_golden("HuberLoss", {delta, std::string("delta = ") + delta, kInputs});
    }
}

}  // namespace huber_loss_test
