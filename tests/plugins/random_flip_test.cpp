#include "augmentation_support.hpp"

namespace random_flip_test {

namespace {

test::Component make(const std::string& settings) {
    return test::build("augmentations", "RandomFlip", settings);
}

at::Tensor flipped(const std::string& settings) {
    auto component = make(settings);
    return test::augment(component, test::floats({1, 2, 3, 4, 5, 6}, {1, 1, 2, 3}));
}

}  // namespace

TEST_CASE("RandomFlip: left becomes right, top becomes bottom") {
    const auto images = [](const std::vector<double>& values) {
        return test::floats(values, {1, 1, 2, 3});
    };
    CHECK(torch::equal(flipped("horizontal = 1"), images({3, 2, 1, 6, 5, 4})));
    CHECK(torch::equal(flipped("horizontal = 0\nvertical = 1"), images({4, 5, 6, 1, 2, 3})));
    CHECK(torch::equal(flipped("horizontal = 1\nvertical = 1"), images({6, 5, 4, 3, 2, 1})));
    CHECK(torch::equal(flipped("horizontal = 0\nvertical = 0"), images({1, 2, 3, 4, 5, 6})));
}

TEST_CASE("RandomFlip: flips as often as it is to, each way for itself") {
    constexpr int64_t kCount = 4000;
    auto component = make("horizontal = 0.3\nvertical = 0.6");
    const at::Tensor images = test::floats({0, 1, 2, 3}, {1, 1, 2, 2}).repeat({kCount, 1, 1, 1});
    // The first pixel says what has happened: 0 nothing, 1 sideways, 2 upside down, 3 both.
    const at::Tensor first = test::augment(component, images).select(-1, 0).select(-1, 0);
    const double expected[] = {0.7 * 0.4, 0.3 * 0.4, 0.7 * 0.6, 0.3 * 0.6};
    for (int kind = 0; kind < 4; ++kind) {
        const double share = first.eq(kind).to(torch::kDouble).mean().item<double>();
        CHECK(share == doctest::Approx(expected[kind]).epsilon(0.1));
    }
}

TEST_CASE("RandomFlip: masks and further images get the draw of the images") {
    auto component = make(
        "vertical = 0.5\nmore_streams = [\"depth\"]\nmore_outputs = [\"flipped_depth\"]\n"
        "mask_streams = [\"classes\"]\nmask_outputs = [\"flipped_classes\"]");
    const at::Tensor images = test::counted_images(16, 3, 4);
    const at::Tensor classes = (images * 12).round().to(torch::kLong).squeeze(1);
    const auto outputs = component.transform(
        test::slots({{"inputs", images}, {"depth", images + 1}, {"classes", classes}}),
        test::seeds(16));
    const at::Tensor made = outputs.at("outputs").tensor();
    CHECK(torch::allclose(outputs.at("flipped_depth").tensor(), made + 1));
    CHECK(torch::equal(outputs.at("flipped_classes").tensor(),
                       (made * 12).round().to(torch::kLong).squeeze(1)));
    CHECK(!torch::equal(made, images));
}

TEST_CASE("RandomFlip: does what every augmentation does") {
    test::check_augmentation("RandomFlip", "vertical = 0.5");
}

TEST_CASE("RandomFlip: masks without names for what becomes of them are refused") {
    CHECK_THROWS_WITH_AS(
        make("mask_streams = [\"a\", \"b\"]\nmask_outputs = [\"c\"]"),
        "setting 'mask_outputs': must name 2 streams, one for each of mask_streams, not 1",
        ptp::ConfigError);
}

}  // namespace random_flip_test
