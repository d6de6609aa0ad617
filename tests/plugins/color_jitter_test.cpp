#include "augmentation_support.hpp"

namespace color_jitter_test {

namespace {

test::Component make(const std::string& settings) {
    return test::build("augmentations", "ColorJitter", settings);
}

// As in tests/golden/transforms.py: with a grey and a black pixel.
at::Tensor image() {
    at::Tensor made = (test::wave({1, 3, 3, 4}, 0) + 1) / 2;
    made.select(2, 0).select(2, 0).fill_(0.5);
    made.select(2, 0).select(2, 1).fill_(0);
    return made;
}

at::Tensor grey(double value) {
    return torch::full({1, 1, 2, 2}, value);
}

}  // namespace

TEST_CASE("ColorJitter: each change by a fixed amount is torchvision's") {
    const std::pair<std::string, std::string> cases[] = {
        {"colors.brightness", "brightness = [1.4, 1.4]"},
        {"colors.contrast", "contrast = [0.6, 0.6]"},
        {"colors.saturation", "saturation = [1.8, 1.8]"},
        {"colors.hue", "hue = [0.3, 0.3]"},
        {"colors.hue_back", "hue = [-0.45, -0.45]"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.first);
        auto component = make(c.second);
        CHECK(test::is_near(test::augment(component, image()), c.first));
    }
}

TEST_CASE("ColorJitter: grey images have brightness and contrast only") {
    auto contrast = make("contrast = [1.7, 1.7]");
    CHECK(test::is_near(test::augment(contrast, image().narrow(1, 0, 1)), "colors.grey_contrast"));
    auto colors = make("saturation = [0, 3]\nhue = 0.5");
    CHECK(torch::equal(test::augment(colors, image().narrow(1, 0, 1)), image().narrow(1, 0, 1)));
}

TEST_CASE("ColorJitter: without settings nothing changes") {
    auto component = make("");
    CHECK(torch::equal(test::augment(component, image()), image()));
}

TEST_CASE("ColorJitter: what the rounding of a resize puts beyond white and black is cut off") {
    auto component = make("brightness = [1, 1]");
    const at::Tensor images = test::floats({1.00001F, -0.00001F, 0.25F, 1}, {1, 1, 2, 2});
    CHECK(torch::equal(test::augment(component, images),
                       test::floats({1, 0, 0.25F, 1}, {1, 1, 2, 2})));
}

TEST_CASE("ColorJitter: amounts are spread evenly over their range, which ends at 0") {
    constexpr int64_t kCount = 2000;
    auto component = make("brightness = 0.5");
    const at::Tensor made = test::augment(component, grey(0.5).repeat({kCount, 1, 1, 1}));
    const at::Tensor factors = made.select(-1, 0).select(-1, 0) * 2;
    CHECK(factors.min().item<double>() >= 0.5);
    CHECK(factors.max().item<double>() <= 1.5);
    CHECK(factors.mean().item<double>() == doctest::Approx(1).epsilon(0.03));
    CHECK(factors.std().item<double>() == doctest::Approx(1 / std::sqrt(12.0)).epsilon(0.05));
    auto wide = make("brightness = 4");
    CHECK(test::augment(wide, grey(0.1).repeat({kCount, 1, 1, 1})).min().item<double>() >= 0);
}

// Brightness 2 makes 0.3 and 0.5 to 0.6 and 1, contrast 0 then 0.8 of both. The other way round it
// is 0.4 first, then 0.8; but 0.3 and 0.9 become 0.6 and 1, whose mean is 0.8, or 0.6, then 1.
TEST_CASE("ColorJitter: the order of the changes is drawn too") {
    auto component = make("brightness = [2, 2]\ncontrast = [0, 0]");
    const at::Tensor images = test::floats({0.3, 0.9}, {1, 1, 1, 2}).repeat({400, 1, 1, 1});
    const at::Tensor made = test::augment(component, images).select(-1, 0).flatten();
    const int64_t brighter_first = made.sub(0.8).abs().lt(1e-4).sum().item<int64_t>();
    const int64_t flatter_first = made.sub(1).abs().lt(1e-4).sum().item<int64_t>();
    CHECK(brighter_first + flatter_first == 400);
    CHECK(brighter_first == doctest::Approx(200).epsilon(0.2));
}

TEST_CASE("ColorJitter: further images get the draw of the images") {
    auto component = make(
        "brightness = 0.5\nhue = 0.5\nmore_streams = [\"other\"]\nmore_outputs = [\"jittered\"]");
    const auto outputs = component.transform(test::slots({{"inputs", image().repeat({9, 1, 1, 1})},
                                                          {"other", image().repeat({9, 1, 1, 1})}}),
                                             test::seeds(9));
    CHECK(torch::equal(outputs.at("outputs").tensor(), outputs.at("jittered").tensor()));
}

TEST_CASE("ColorJitter: does what every augmentation does") {
    test::check_augmentation("ColorJitter",
                             "brightness = 0.5\ncontrast = 0.5\nsaturation = 0.5\nhue = 0.2");
}

TEST_CASE("ColorJitter: images that are not in [0, 1] are an error that says what to do") {
    auto component = make("brightness = 0.5");
    CHECK_THROWS_WITH_AS(test::augment(component, test::floats({-0.5, 2}, {1, 1, 1, 2})),
                         "'inputs': pixels must be in [0, 1], these are in [-0.5, 2]; normalize "
                         "after jittering, not before",
                         ptp::DataError);
    CHECK_THROWS_WITH_AS(test::augment(component, torch::ones({1, 2, 1, 2})),
                         "'inputs': images have 1 or 3 channels, these have 2", ptp::ConfigError);
    CHECK_THROWS_WITH_AS(make("hue = [0.2, 0.1]"),
                         "setting 'hue': must be one number of at least 0, or two, the smaller "
                         "one first",
                         ptp::ConfigError);
}

}  // namespace color_jitter_test
