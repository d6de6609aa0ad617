#include "class_loss_cases.hpp"

namespace focal_loss_test {

TEST_CASE("FocalLoss: loss and gradient are the paper's, from gamma = 0 on") {
    test::check_class_goldens("FocalLoss");
    test::check_class_goldens("FocalLoss", "zero.", "gamma = 0.0");
    test::check_class_goldens("FocalLoss", "half.", "gamma = 0.5");
}

TEST_CASE("FocalLoss: what does not count has no effect, and means over batches are exact") {
    test::check_counting("FocalLoss", {"",
                                       "use_masking = true\nclass_weights = [1.0, 0.25, 3.0, 0.5]",
                                       {{"predictions", test::sines({7, 4}, 0.2)},
                                        {"targets", test::classes({7}, 4)}}});
}

TEST_CASE("FocalLoss: the gradient is finite where a prediction is perfect, for every gamma") {
    for (const char* gamma : {"0.0", "0.1", "0.5", "1.0", "2.0"}) {
        CAPTURE(gamma);
        auto loss = test::build("losses", "FocalLoss", std::string("gamma = ") + gamma);
        const at::Tensor predictions = test::floats({300, 0, 0, 300}, {2, 2}).requires_grad_();
        loss.forward(test::integers({0, 0}), predictions).backward();
        CHECK(predictions.grad().isfinite().all().item<bool>());
        CHECK(predictions.grad()[0].abs().sum().item<double>() == 0);
    }
}

TEST_CASE("FocalLoss: what does not fit is refused, with the place and the value") {
    test::check_class_refusals("FocalLoss");
}

TEST_CASE("FocalLoss: a class that weighs 0 keeps nan out of the loss and of its gradient") {
    test::check_class_weight_of_0("FocalLoss");
}

}  // namespace focal_loss_test
