#include "class_loss_cases.hpp"

namespace cross_entropy_loss_test {

namespace {

const test::Inputs kInputs{{"predictions", test::sines({7, 4}, 0.2)},
                           {"targets", test::classes({7}, 4)}};

}  // namespace

TEST_CASE("CrossEntropyLoss: loss and gradient are PyTorch's, with masks, weights and places") {
    test::check_class_goldens("CrossEntropyLoss");
}

TEST_CASE("CrossEntropyLoss: labels are smoothed as PyTorch does it, up to all of them") {
    test::check_class_goldens("CrossEntropyLoss", "smooth.", "label_smoothing = 0.1");
    test::check_class_goldens("CrossEntropyLoss", "flat.", "label_smoothing = 1.0");
}

TEST_CASE("CrossEntropyLoss: what does not count has no effect, and means are exact") {
    test::check_counting("CrossEntropyLoss", {"", "use_masking = true", kInputs});
    test::check_counting("CrossEntropyLoss", {"",
                                              "use_masking = true\nlabel_smoothing = 0.2\n"
                                              "class_weights = [1.0, 0.25, 3.0, 0.5]",
                                              kInputs});
}

TEST_CASE("CrossEntropyLoss: what a target of ignore_index is predicted to be has no effect") {
    test::Inputs inputs = kInputs;
    inputs["targets"] = inputs["targets"].masked_fill(inputs["targets"].eq(1), -100);
    const auto loss_of = [&](double filler) {
        at::Tensor predictions = inputs["predictions"].clone();
        predictions.masked_fill_(inputs["targets"].eq(-100).unsqueeze(1), filler);
        predictions.requires_grad_();
        auto loss = test::build("losses", "CrossEntropyLoss");
        loss.forward(inputs["targets"], predictions).backward();
        return predictions.grad();
    };
    CHECK(torch::equal(loss_of(NAN), loss_of(3)));
}

TEST_CASE("CrossEntropyLoss: what does not fit is refused, with the place and the value") {
    test::check_class_refusals("CrossEntropyLoss");
}

TEST_CASE("CrossEntropyLoss: a class that weighs 0 keeps nan out of the loss and of its gradient") {
    test::check_class_weight_of_0("CrossEntropyLoss");
}

}  // namespace cross_entropy_loss_test
