#include "augmentation_support.hpp"

#include <map>

namespace random_crop_test {

namespace {

test::Component make(const std::string& settings, test::Wiring wiring = {}) {
    return test::build("augmentations", "RandomCrop", settings, std::move(wiring));
}

// How often each place was cut out, found again in images that count their pixels from 1.
std::map<int64_t, int64_t> places(const std::string& settings, int64_t count, int64_t side) {
    auto component = make(settings);
    const at::Tensor images = torch::arange(1, side * side + 1, torch::kFloat)
                                  .reshape({1, 1, side, side})
                                  .repeat({count, 1, 1, 1});
    std::map<int64_t, int64_t> found;
    const at::Tensor crops = test::augment(component, images);
    for (int64_t i = 0; i < count; ++i) {
        ++found[crops[i].flatten()[0].item<int64_t>()];
    }
    return found;
}

}  // namespace

TEST_CASE("RandomCrop: what it cuts out is a part of the image, each with equal chance") {
    auto component = make("size = [3, 2]");
    const at::Tensor images = test::counted_images(50, 5, 4);
    const at::Tensor crops = test::augment(component, images);
    CHECK(crops.sizes() == at::IntArrayRef({50, 1, 3, 2}));
    for (int64_t i = 0; i < 50; ++i) {
        const int64_t first = (crops[i][0][0][0] * 20).round().item<int64_t>();
        const at::Tensor part =
            images[i].slice(1, first / 4, first / 4 + 3).slice(2, first % 4, first % 4 + 2);
        REQUIRE(torch::equal(crops[i], part));
    }
    const auto found = places("size = [2, 2]", 3600, 4);
    CHECK(found.size() == 9);
    for (const auto& place : found) {
        CHECK(place.second == doctest::Approx(400).epsilon(0.15));
    }
}

TEST_CASE("RandomCrop: beyond the edge there are zeros, or the image mirrored") {
    const at::Tensor images = test::floats({1, 2, 3, 4, 5, 6, 7, 8, 9}, {1, 1, 3, 3});
    // 5 x 5 is all of the padded image, so there is one place
    auto zeros = make("size = [5, 5]\npadding = 1");
    CHECK(torch::equal(test::augment(zeros, images), at::constant_pad_nd(images, {1, 1, 1, 1})));
    auto mirror = make("size = [7, 7]\npadding = 2\npadding_mode = \"reflect\"");
    CHECK(torch::equal(test::augment(mirror, images), at::reflection_pad2d(images, {2, 2, 2, 2})));
}

TEST_CASE("RandomCrop: with a padding and no size the image is moved, all ways with equal chance") {
    auto component = make("padding = 1");
    const at::Tensor images = torch::ones({900, 1, 3, 3});
    const at::Tensor crops = test::augment(component, images);
    CHECK(crops.sizes() == images.sizes());
    // 9 ones in the middle, 6 at an edge, 4 in a corner
    const at::Tensor ones = crops.sum({1, 2, 3});
    CHECK(ones.eq(9).sum().item<int64_t>() == doctest::Approx(100).epsilon(0.3));
    CHECK(ones.eq(6).sum().item<int64_t>() == doctest::Approx(400).epsilon(0.15));
    CHECK(ones.eq(4).sum().item<int64_t>() == doctest::Approx(400).epsilon(0.15));
}

TEST_CASE("RandomCrop: a padding larger than the image leaves nothing of it in a corner") {
    auto component = make("size = [1, 1]\npadding = 3");
    const at::Tensor crops = test::augment(component, torch::ones({400, 1, 2, 2}));
    CHECK(crops.sum().item<double>() > 0);
    CHECK(crops.sum().item<double>() < 400);
}

TEST_CASE("RandomCrop: outside of training the part in the middle is taken") {
    auto component = make("size = [1, 2]\npadding = 1");
    const at::Tensor images = test::floats({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, {1, 1, 3, 4});
    CHECK(
        torch::equal(test::augment(component, images, false), test::floats({6, 7}, {1, 1, 1, 2})));
}

TEST_CASE("RandomCrop: masks get the draw of the images") {
    for (const char* mode : {"zero", "reflect"}) {
        auto component = make("size = [4, 3]\npadding = 2\npadding_mode = \"" + std::string(mode) +
                              "\"\nmask_streams = [\"classes\"]\nmask_outputs = [\"cropped\"]");
        const at::Tensor images = test::counted_images(20, 5, 4) + 1.0 / 20;
        const at::Tensor classes = (images * 20).round().to(torch::kLong).squeeze(1);
        const auto outputs = component.transform(
            test::slots({{"inputs", images}, {"classes", classes}}), test::seeds(20));
        CHECK(torch::equal(
            outputs.at("cropped").tensor(),
            (outputs.at("outputs").tensor() * 20).round().to(torch::kLong).squeeze(1)));
    }
}

TEST_CASE("RandomCrop: does what every augmentation does") {
    test::check_augmentation("RandomCrop", "padding = 2");
}

TEST_CASE("RandomCrop: what does not fit is refused, as soon as the sizes are known") {
    CHECK_THROWS_WITH_AS(
        make("size = [9, 4]\npadding = 1", {.sizes = {{"height", 6}, {"width", 6}}}),
        "setting 'size': does not fit into images of 6 x 6 with a padding of 1", ptp::ConfigError);
    CHECK_NOTHROW(make("size = [8, 4]\npadding = 1", {.sizes = {{"height", 6}, {"width", 6}}}));
    auto unknown = make("size = [9, 4]");
    CHECK_THROWS_WITH_AS(test::augment(unknown, torch::ones({1, 1, 6, 6})),
                         "setting 'size': does not fit into images of 6 x 6 with a padding of 0",
                         ptp::ConfigError);
    CHECK_THROWS_WITH_AS(
        make("padding = 4\npadding_mode = \"reflect\"", {.sizes = {{"height", 4}, {"width", 9}}}),
        "setting 'padding': an image of 4 x 9 does not have that many pixels to mirror",
        ptp::ConfigError);
}

}  // namespace random_crop_test
