#include "transform_check.hpp"

namespace normalize_test {

namespace {

test::Component make(const std::string& settings, test::Wiring wiring = {}) {
    return test::build("transforms", "Normalize", settings, std::move(wiring));
}

}  // namespace

TEST_CASE("Normalize: each channel gets its own values, or all the same") {
    const at::Tensor inputs = test::floats({1, 3, 10, 20}, {1, 2, 1, 2});
    CHECK(torch::allclose(make("mean = [2, 10]\nstd = [0.5, 5]").forward(inputs),
                          test::floats({-2, 2, 0, 2}, {1, 2, 1, 2})));
    CHECK(torch::allclose(make("mean = 1\nstd = [2, 1]").forward(inputs),
                          test::floats({0, 1, 9, 19}, {1, 2, 1, 2})));
}

TEST_CASE("Normalize: ImageNet's values are those of torchvision's networks") {
    const at::Tensor inputs = test::floats({0.485, 1, 0}, {1, 3, 1, 1});
    CHECK(torch::allclose(make("by = \"imagenet\"").forward(inputs),
                          test::floats({0, (1 - 0.456) / 0.224, -0.406 / 0.225}, {1, 3, 1, 1}),
                          1e-5, 1e-6));
}

TEST_CASE("Normalize: by sample, each channel of each image has the mean 0 and the deviation 1") {
    // 1, 3: mean 2, deviation 1; 0, 0, 4, 4 would be alike; 7 everywhere does not vary
    const at::Tensor inputs = test::floats({1, 3, 7, 7, 10, 50, -1, 1}, {2, 2, 1, 2});
    CHECK(torch::allclose(make("by = \"sample\"").forward(inputs),
                          test::floats({-1, 1, 0, 0, -1, 1, -1, 1}, {2, 2, 1, 2})));
}

TEST_CASE("Normalize: gradients are those of the formula") {
    const at::Tensor inputs = torch::ones({1, 2, 1, 1}).requires_grad_();
    make("mean = 0\nstd = [2, 4]").forward(inputs).sum().backward();
    CHECK(torch::equal(inputs.grad(), test::floats({0.5, 0.25}, {1, 2, 1, 1})));
}

TEST_CASE("Normalize: what does not fit is refused") {
    const test::WrongSettings cases[] = {
        {"", "by = \"values\": mean and std are needed"},
        {"mean = 1", "by = \"values\": mean and std are needed"},
        {"by = \"sample\"\nmean = 1", "mean and std: only by = \"values\" takes them"},
        {"mean = [1, 2]\nstd = [1, 2, 3]",
         "mean has 2 values, std has 3: one for each channel or one for all"},
    };
    for (const test::WrongSettings& c : cases) {
        CAPTURE(c.settings);
        CHECK_THROWS_WITH_AS(make(c.settings), c.message, ptp::ConfigError);
    }
    CHECK_THROWS_WITH_AS(make("mean = [1, 2]\nstd = 1", {.sizes = {{"channels", 3}}}),
                         "the images have 3 channels, mean and std are of 2", ptp::ConfigError);
    CHECK_THROWS_WITH_AS(make("by = \"imagenet\"").forward(torch::ones({1, 1, 2, 2})),
                         "the images have 1 channels, mean and std are of 3", ptp::ConfigError);
}

}  // namespace normalize_test
