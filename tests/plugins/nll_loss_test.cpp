#include "class_loss_cases.hpp"

namespace nll_loss_test {

namespace {

test::Component make(std::string_view settings, test::Wiring wiring = {}) {
    return test::build("losses", "NLLLoss", settings, std::move(wiring));
}

// Not normalized: plain numbers make the hand work visible.
const at::Tensor kPredictions = test::floats({-1, -2, -4, -8, -16, -32}, {3, 2});

}  // namespace

TEST_CASE("NLLLoss: is the mean of minus the prediction of the target") {
    auto loss = make("");
    const at::Tensor value = loss.forward(test::integers({0, 1, 1}), kPredictions);
    CHECK(value.dim() == 0);
    CHECK(value.item<double>() == doctest::Approx((1 + 8 + 32) / 3.0));
}

TEST_CASE("NLLLoss: masked samples neither add to the sum nor to the count") {
    auto loss = make("use_masking = true");
    const at::Tensor value =
        loss.forward(test::integers({0, 1, 1}), kPredictions, test::bools({1, 0, 1}));
    CHECK(value.item<double>() == doctest::Approx((1 + 32) / 2.0));
}

TEST_CASE("NLLLoss: its weight makes the mean over batches that over all targets that count") {
    auto loss = make("use_masking = true");
    double sum = 0;
    double weights = 0;
    for (const std::vector<int64_t>& masks :
         {std::vector<int64_t>{1, 0, 1}, {0, 1, 0}, {0, 0, 0}}) {
        const double value =
            loss.forward(test::integers({0, 1, 1}), kPredictions, test::bools(masks))
                .item<double>();
        const double weight = loss.collect().at("loss_weight");
        CHECK(weight == static_cast<double>(masks[0] + masks[1] + masks[2]));
        sum += weight * value;
        weights += weight;
    }
    CHECK(sum / weights == doctest::Approx((1 + 32 + 8) / 3.0));
}

TEST_CASE("NLLLoss: when no sample counts the loss is 0, and so is its gradient") {
    auto loss = make("use_masking = true");
    const at::Tensor predictions = kPredictions.clone().requires_grad_();
    const at::Tensor value =
        loss.forward(test::integers({0, 1, 1}), predictions, test::bools({0, 0, 0}));
    CHECK(value.item<double>() == 0);
    value.backward();
    CHECK(predictions.grad().abs().sum().item<double>() == 0);
}

TEST_CASE("NLLLoss: targets of ignore_index do not count") {
    const at::Tensor targets = test::integers({0, 1, 1});
    auto loss = make("", {.globals = {{"ignore_index", 1}}});
    CHECK(loss.forward(targets, kPredictions).item<double>() == doctest::Approx(1));
    auto plain = make("");
    CHECK(plain.forward(test::integers({-100, 1, 1}), kPredictions).item<double>() ==
          doctest::Approx((8 + 32) / 2.0));
}

TEST_CASE("NLLLoss: targets of two dimensions are taken one by one, masks by sample") {
    auto loss = make("num_targets_dims = 2\nuse_masking = true");
    const at::Tensor targets = test::integers({0, 1, 1, 0}).reshape({2, 2});
    const at::Tensor predictions = -torch::arange(8, torch::kFloat).reshape({2, 2, 2});
    // sample 0 has predictions (0, -1), (-2, -3) and targets 0, 1
    CHECK(loss.forward(targets, predictions, test::bools({1, 0})).item<double>() ==
          doctest::Approx((0 + 3) / 2.0));
    CHECK(loss.forward(targets, predictions, test::bools({1, 1})).item<double>() ==
          doctest::Approx((0 + 3 + 5 + 6) / 4.0));
}

TEST_CASE("NLLLoss: the gradient is -1/N at the targets") {
    auto loss = make("");
    const at::Tensor predictions = kPredictions.clone().requires_grad_();
    loss.forward(test::integers({0, 1, 1}), predictions).backward();
    CHECK(torch::allclose(predictions.grad(), test::floats({-1, 0, 0, -1, 0, -1}, {3, 2}) / 3));
}

TEST_CASE("NLLLoss: loss and gradient are PyTorch's, with masks, weights and places") {
    test::check_class_goldens("NLLLoss");
}

TEST_CASE("NLLLoss: what does not count has no effect, and means over batches are exact") {
    test::check_counting("NLLLoss", {"",
                                     "use_masking = true\nclass_weights = [1.0, 0.25, 3.0, 0.5]",
                                     {{"predictions", test::sines({7, 4}, 0.2) - 2},
                                      {"targets", test::classes({7}, 4)}}});
}

TEST_CASE("NLLLoss: what does not fit is refused, with the place and the value") {
    test::check_class_refusals("NLLLoss");
}

TEST_CASE("NLLLoss: a class that weighs 0 keeps nan out of the loss and of its gradient") {
    test::check_class_weight_of_0("NLLLoss");
}

TEST_CASE("NLLLoss: a positive log-probability of a target that counts is refused") {
    const std::string refusal =
        "predictions must be log-probabilities, which are 0 or less, but that of a target is 2.5; "
        "let the model end with a log-softmax (use_logsoftmax = true), or take CrossEntropyLoss, "
        "which takes raw scores";
    const at::Tensor scores = test::floats({-1, -2, 2.5, -8, 16, 0.009}, {3, 2});
    auto plain = make("");
    CHECK_THROWS_WITH_AS(plain.forward(test::integers({0, 0, 1}), scores), refusal.c_str(),
                         ptp::ConfigError);
    auto weighted = make("class_weights = [0.001, 1.0]");
    CHECK_THROWS_WITH_AS(weighted.forward(test::integers({0, 0, 1}), scores), refusal.c_str(),
                         ptp::ConfigError);
    // What rounding may add to a probability of 1 is no raw score.
    CHECK(plain.forward(test::integers({0, 1, 1}), scores).item<double>() ==
          doctest::Approx((1 + 8 - 0.009) / 3));
    auto masking = make("use_masking = true");
    CHECK(
        masking.forward(test::integers({0, 0, 1}), scores, test::bools({1, 0, 0})).item<double>() ==
        doctest::Approx(1));
}

}  // namespace nll_loss_test
