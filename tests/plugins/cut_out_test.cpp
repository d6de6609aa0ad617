#include "augmentation_support.hpp"

namespace cut_out_test {

namespace {

test::Component make(const std::string& settings) {
    return test::build("augmentations", "CutOut", settings);
}

at::Tensor covered(const std::string& settings, int64_t count, int64_t side) {
    auto component = make(settings);
    return test::augment(component, torch::ones({count, 1, side, side})).squeeze(1);
}

}  // namespace

TEST_CASE("CutOut: covers one square of the size, which may lie partly outside") {
    const at::Tensor images = covered("size = 4", 300, 8);
    int64_t whole = 0;
    for (int64_t i = 0; i < 300; ++i) {
        const at::Tensor holes = images[i].eq(0);
        const int64_t height = holes.any(1).sum().item<int64_t>();
        const int64_t width = holes.any(0).sum().item<int64_t>();
        CHECK(holes.sum().item<int64_t>() == height * width);
        CHECK(height >= 2);  // the middle is inside
        CHECK(height <= 4);
        whole += height == 4 && width == 4 ? 1 : 0;
    }
    // middles at 2 to 6 of 0 to 7 leave it whole: (5 / 8)^2
    CHECK(whole == doctest::Approx(300 * 25 / 64.0).epsilon(0.2));
}

TEST_CASE("CutOut: the middle is any pixel with equal chance") {
    const at::Tensor images = covered("size = 1", 3600, 3);
    const at::Tensor counts = images.eq(0).sum(0).flatten();
    CHECK(counts.sum().item<int64_t>() == 3600);
    for (int64_t i = 0; i < 9; ++i) {
        CHECK(counts[i].item<int64_t>() == doctest::Approx(400).epsilon(0.15));
    }
}

TEST_CASE("CutOut: several squares, another filling, and not always") {
    const at::Tensor two = covered("size = 1\nholes = 2\nfill = 0.5", 500, 8);
    const at::Tensor counts = two.eq(0.5).flatten(1).sum(1);
    CHECK(counts.le(2).all().item<bool>());
    CHECK(counts.eq(2).sum().item<int64_t>() > 450);  // 63 / 64 of them
    const at::Tensor some = covered("size = 1\nprobability = 0.25", 2000, 4);
    CHECK(some.eq(0).flatten(1).any(1).sum().item<int64_t>() == doctest::Approx(500).epsilon(0.1));
    CHECK(covered("size = 1\nprobability = 0", 100, 4).eq(1).all().item<bool>());
}

TEST_CASE("CutOut: a square that is larger than the image may leave nothing") {
    CHECK(covered("size = 9", 20, 4).eq(0).all().item<bool>());
}

TEST_CASE("CutOut: all channels and further images are covered at the same place") {
    auto component =
        make("size = 3\nmore_streams = [\"depth\"]\nmore_outputs = [\"covered_depth\"]");
    const auto outputs = component.transform(
        test::slots({{"inputs", torch::ones({9, 3, 6, 5})}, {"depth", torch::ones({9, 1, 6, 5})}}),
        test::seeds(9));
    const at::Tensor images = outputs.at("outputs").tensor();
    CHECK(torch::equal(images.select(1, 0), images.select(1, 2)));
    CHECK(torch::equal(images.narrow(1, 0, 1), outputs.at("covered_depth").tensor()));
}

TEST_CASE("CutOut: does what every augmentation does") {
    test::check_augmentation("CutOut", "size = 4");
}

TEST_CASE("CutOut: needs a size") {
    CHECK_THROWS_WITH_AS(make(""), "the setting 'size' is required, but missing", ptp::ConfigError);
}

}  // namespace cut_out_test
