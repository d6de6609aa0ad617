#include "loss_cases.hpp"

namespace mse_loss_test {

namespace {

using test::sines;

const test::Inputs kInputs{{"predictions", sines({5, 3}, 0.2)}, {"targets", sines({5, 3}, 2.0)}};

test::Inputs with(const test::Inputs& more) {
    return test::joined(more, kInputs);
}

}  // namespace

TEST_CASE("MSELoss: loss and gradient are PyTorch's, with masks, weights and both") {
    test::check_element_goldens("MSELoss", kInputs);
}

TEST_CASE("MSELoss: what does not count has no effect, and means over batches are exact") {
    test::check_counting("MSELoss", {"", "use_masking = true", kInputs});
}

TEST_CASE("MSELoss: targets may be single numbers, or have many dimensions") {
    auto flat = test::build("losses", "MSELoss", "num_targets_dims = 1");
    CHECK(flat.forward(test::floats({1, 2}, {2}), test::floats({4, 2}, {2})).item<double>() == 4.5);
    auto deep = test::build("losses", "MSELoss", "num_targets_dims = 4");
    CHECK(
        deep.forward(torch::zeros({2, 3, 4, 5}), torch::full({2, 3, 4, 5}, 2.0f)).item<double>() ==
        4);
    CHECK(deep.collect().at("loss_weight") == 120);
}

TEST_CASE("MSELoss: a batch of no samples has the loss 0 and the weight 0") {
    auto loss = test::build("losses", "MSELoss");
    CHECK(loss.forward(torch::zeros({0, 3}), torch::zeros({0, 3})).item<double>() == 0);
    CHECK(loss.collect().at("loss_weight") == 0);
}

TEST_CASE("MSELoss: what does not fit is refused with its sizes, or its place and value") {
    const std::string masking = "use_masking = true";
    const std::string weights = "use_sample_weights = true";
    const at::Tensor negative = test::floats({1, 0, -0.5, 1, 1}, {5});
    const at::Tensor no_number = test::floats({1, 0, 2, 1, NAN}, {5});
    const test::Inputs column{{"predictions", sines({5, 3}, 0)}, {"targets", sines({5, 1}, 0)}};
    const std::pair<test::LossCase, const char*> cases[] = {
        {{"", "", column}, "targets has the sizes [5, 1], must have [5, 3], as predictions has"},
        {{"", masking, with({{"masks", test::some_masks({4})}})},
         "masks has the sizes [4], must have [5], as predictions has"},
        {{"", weights, with({{"sample_weights", sines({4}, 0)}})},
         "sample_weights has the sizes [4], must have [5], as predictions has"},
        {{"", weights, with({{"sample_weights", negative}})},
         "sample_weights[2] = -0.5: must be in [0, inf)"},
        {{"", weights, with({{"sample_weights", no_number}})},
         "sample_weights[4] = nan: must be in [0, inf)"},
        {{"", "num_masks_dims = 3", kInputs},
         "num_masks_dims = 3: must be at most num_targets_dims = 2"}};
    for (const auto& [of, message] : cases) {
        CHECK(test::refusal("MSELoss", of) == message);
    }
}

}  // namespace mse_loss_test
