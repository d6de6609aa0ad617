#include "loss_cases.hpp"

namespace bce_with_logits_loss_test {

namespace {

using test::shares;
using test::sines;

const test::Inputs kInputs{{"predictions", sines({5, 3}, 0.2)}, {"targets", shares({5, 3})}};

}  // namespace

TEST_CASE("BCEWithLogitsLoss: loss and gradient are PyTorch's, with masks, weights and both") {
    test::check_element_goldens("BCEWithLogitsLoss", kInputs);
    test::check_golden(
        "BCEWithLogitsLoss",
        {"large", "", {{"predictions", sines({5, 3}, 0.2) * 30}, {"targets", shares({5, 3})}}});
}

TEST_CASE("BCEWithLogitsLoss: positives weigh alike, or by the last dimension") {
    test::check_golden("BCEWithLogitsLoss", {"one_weight", "positive_weights = 2.5", kInputs});
    test::check_golden("BCEWithLogitsLoss",
                       {"each_weight", "positive_weights = [0.5, 3.0, 1.25]", kInputs});
}

TEST_CASE("BCEWithLogitsLoss: what does not count has no effect, and means are exact") {
    test::check_counting("BCEWithLogitsLoss", {"", "use_masking = true", kInputs});
}

TEST_CASE("BCEWithLogitsLoss: an endless score that is right costs nothing") {
    auto loss = test::build("losses", "BCEWithLogitsLoss");
    CHECK(loss.forward(test::floats({1, 0}, {1, 2}), test::floats({1e30, -1e30}, {1, 2}))
              .item<double>() == 0);
}

TEST_CASE("BCEWithLogitsLoss: what does not fit is refused, with the place and the value") {
    at::Tensor targets = shares({5, 3});
    targets[3][1] = 1.25;
    at::Tensor no_number = shares({5, 3});
    no_number[0][2] = NAN;
    const test::Inputs flat{{"predictions", sines({5}, 0)}, {"targets", shares({5})}};
    const std::pair<test::LossCase, const char*> cases[] = {
        {{"", "", {{"predictions", sines({5, 3}, 0)}, {"targets", targets}}},
         "targets[3, 1] = 1.25: must be in [0, 1]"},
        {{"", "", {{"predictions", sines({5, 3}, 0)}, {"targets", no_number}}},
         "targets[0, 2] = nan: must be in [0, 1]"},
        {{"", "positive_weights = [1.0, 2.0]", kInputs},
         "positive_weights: 2 given, but the last dimension of predictions has the size 3"},
        {{"", "positive_weights = [1.0, 2.0]\nnum_targets_dims = 1", flat},
         "positive_weights: 2 given, but targets of one dimension, the batch's, take one"}};
    for (const auto& [of, message] : cases) {
        CHECK(test::refusal("BCEWithLogitsLoss", of) == message);
    }
}

}  // namespace bce_with_logits_loss_test
