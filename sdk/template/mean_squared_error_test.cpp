// The component is tested through the built plugin, as a user meets it.

#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <ptp/testing.hpp>
#include <ptp/testing/toml.hpp>

#include <ATen/ATen.h>

#include <doctest/doctest.h>

namespace {

ptp::testing::Component make(const char* settings) {
    return ptp::testing::Plugin(MY_PLUGIN).make("MeanSquaredError", settings);
}

}  // namespace

TEST_CASE("MeanSquaredError: agrees with a result worked out by hand") {
    auto loss = make("weight = 0.5");
    // Differences 1, -2, 0 and 3: squares 1, 4, 0 and 9, their mean 3.5, half of it 1.75.
    const at::Tensor predictions = at::arange(4).to(at::kFloat).reshape({2, 2});
    const at::Tensor difference = at::zeros({4});
    difference[0] = 1;
    difference[1] = -2;
    difference[3] = 3;
    const at::Tensor targets = predictions - difference.reshape({2, 2});
    CHECK(loss.forward(predictions, targets).item<double>() == doctest::Approx(1.75));
}

TEST_CASE("MeanSquaredError: tensors that do not fit are an error") {
    auto loss = make("");
    CHECK_THROWS_AS(loss.forward(at::zeros({2, 2}), at::zeros({2, 3})), std::runtime_error);
}
