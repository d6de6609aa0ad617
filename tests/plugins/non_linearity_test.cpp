#include "transform_check.hpp"

namespace non_linearity_test {

namespace {

test::Component make(const std::string& settings) {
    return test::build("transforms", "NonLinearity", settings);
}

}  // namespace

TEST_CASE("NonLinearity: values and gradients are PyTorch's") {
    const std::pair<std::string, std::string> cases[] = {
        {"relu", ""},           {"leaky_relu", "negative_slope = 0.2"},
        {"elu", "alpha = 1.5"}, {"gelu", ""},
        {"sigmoid", ""},        {"tanh", ""},
        {"softmax", "dim = 2"}, {"log_softmax", "dim = 1"},
    };
    for (const auto& c : cases) {
        auto component = make("num_inputs_dims = 3\nfunction = \"" + c.first + "\"\n" + c.second);
        test::check_transform(component, c.first, test::wave({2, 3, 4}, 0) * 2);
    }
}

TEST_CASE("NonLinearity: at their limits the slopes are flat and straight") {
    const at::Tensor inputs = test::floats({-3, 0, 2}, {1, 3});
    CHECK(torch::equal(make("function = \"leaky_relu\"\nnegative_slope = 0").forward(inputs),
                       inputs.relu()));
    CHECK(torch::equal(make("function = \"leaky_relu\"\nnegative_slope = 1").forward(inputs),
                       inputs));
    CHECK(torch::equal(make("function = \"elu\"\nalpha = 0").forward(inputs), inputs.relu()));
}

TEST_CASE("NonLinearity: a softmax needs the dimension that it is over") {
    CHECK_THROWS_WITH_AS(make("function = \"softmax\"\ndim = 2"),
                         "dim = 2: the input has only 2 dimensions (num_inputs_dims)",
                         ptp::ConfigError);
}

TEST_CASE("NonLinearity: a setting that the function does not have is refused") {
    CHECK_THROWS_WITH_AS(make("num_inputs_dims = 3\ndim = 2"),
                         "dim: only function = \"softmax\" or \"log_softmax\" has it",
                         ptp::ConfigError);
    CHECK_THROWS_WITH_AS(make("negative_slope = 0.2"),
                         "negative_slope: only function = \"leaky_relu\" has it", ptp::ConfigError);
    CHECK_THROWS_WITH_AS(make("function = \"gelu\"\nalpha = 0.5"),
                         "alpha: only function = \"elu\" has it", ptp::ConfigError);
}

}  // namespace non_linearity_test
