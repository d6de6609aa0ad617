#include "loss_cases.hpp"

namespace sigmoid_focal_loss_test {

namespace {

using test::shares;
using test::sines;

const test::Inputs kInputs{{"predictions", sines({5, 3}, 0.2)}, {"targets", shares({5, 3})}};

}  // namespace

TEST_CASE("SigmoidFocalLoss: loss and gradient are the paper's, with masks, weights and both") {
    test::check_element_goldens("SigmoidFocalLoss", kInputs);
}

TEST_CASE("SigmoidFocalLoss: gamma and alpha act from one end of their ranges to the other") {
    const test::Inputs inputs{{"predictions", sines({5, 3}, 0.2)},
                              {"targets", shares({5, 3}).gt(0.5).to(torch::kDouble)}};
    const std::pair<const char*, const char*> cases[] = {{"0.0.None", "gamma = 0.0"},
                                                         {"0.5.0.25", "gamma = 0.5\nalpha = 0.25"},
                                                         {"2.0.0.0", "alpha = 0.0"},
                                                         {"2.0.1.0", "alpha = 1.0"},
                                                         {"5.0.0.75", "gamma = 5.0\nalpha = 0.75"}};
    for (const auto& [golden, settings] : cases) {
        test::check_golden("SigmoidFocalLoss", {golden, settings, inputs});
    }
}

TEST_CASE("SigmoidFocalLoss: what does not count has no effect, and means are exact") {
    test::check_counting("SigmoidFocalLoss", {"", "use_masking = true", kInputs});
}

TEST_CASE("SigmoidFocalLoss: the gradient is finite where an answer is perfect, for every gamma") {
    for (const char* gamma : {"0.0", "0.1", "0.5", "1.0", "2.0"}) {
        CAPTURE(gamma);
        auto loss = test::build("losses", "SigmoidFocalLoss", std::string("gamma = ") + gamma);
        const at::Tensor predictions = test::floats({200, -200, 200}, {1, 3}).requires_grad_();
        loss.forward(test::floats({1, 0, 0}, {1, 3}), predictions).backward();
        CHECK(predictions.grad().isfinite().all().item<bool>());
        CHECK(predictions.grad()[0][0].item<double>() == 0);
    }
}

TEST_CASE("SigmoidFocalLoss: a target that is not a probability is named") {
    at::Tensor targets = shares({5, 3});
    targets[4][0] = -1;
    CHECK(test::refusal("SigmoidFocalLoss",
                        {"", "", {{"predictions", sines({5, 3}, 0)}, {"targets", targets}}}) ==
          "targets[4, 0] = -1: must be in [0, 1]");
}

}  // namespace sigmoid_focal_loss_test
