#include "augmentation_support.hpp"

#include <cmath>
#include <limits>

namespace random_affine_test {

namespace {

constexpr const char* kMasks = "mask_streams = [\"classes\"]\nmask_outputs = [\"moved\"]\n";

test::Component make(const std::string& settings) {
    return test::build("augmentations", "RandomAffine", settings);
}

}  // namespace

TEST_CASE("RandomAffine: with fixed amounts images and masks are torchvision's") {
    const std::pair<std::string, std::string> cases[] = {
        {"affine.turn", "degrees = [30, 30]"},
        {"affine.larger", "scale = [1.3, 1.3]"},
        {"affine.shear", "shear = [20, 20, -10, -10]"},
        {"affine.all", "degrees = [-40, -40]\nscale = [0.8, 0.8]\nshear = [15, 15, 5, 5]"},
    };
    const at::Tensor images = test::wave({1, 2, 6, 8}, 0);
    const at::Tensor classes = torch::arange(48).remainder(5).reshape({1, 6, 8});
    for (const auto& c : cases) {
        CAPTURE(c.first);
        auto component = make(kMasks + c.second);
        const auto outputs = component.transform(
            test::slots({{"inputs", images}, {"classes", classes}}), test::seeds(1));
        CHECK(test::is_near(outputs.at("outputs").tensor(), c.first));
        CHECK((outputs.at("moved").tensor().scalar_type() == at::kLong));
        CHECK(test::is_near(outputs.at("moved").tensor(), c.first + ".mask"));
    }
}

TEST_CASE("RandomAffine: what was outside becomes what it is to") {
    const at::Tensor images = test::wave({1, 2, 6, 8}, 0);
    auto filled = make("degrees = [30, 30]\nfill = 0.25");
    CHECK(test::is_near(test::augment(filled, images), "affine.filled"));
    auto masks = make(kMasks + std::string("scale = [0.5, 0.5]\nmask_fill = 255"));
    const auto outputs = masks.transform(
        test::slots({{"inputs", images}, {"classes", torch::ones({1, 6, 8}, torch::kLong)}}),
        test::seeds(1));
    const at::Tensor classes = outputs.at("moved").tensor();
    CHECK(classes.eq(1).sum().item<int64_t>() == 12);  // 3 x 4
    CHECK(classes.eq(255).sum().item<int64_t>() == 48 - 12);
}

// libtorch computes images of doubles, with its grid_sampler and places that are doubles.
TEST_CASE("RandomAffine: images and masks are those that libtorch makes of the same draws") {
    const at::Tensor one =
        torch::cat({test::wave({1, 3, 23, 31}, 0), test::wave({1, 3, 23, 31}, 1)});
    const at::Tensor images = one.repeat({60, 1, 1, 1});
    const at::Tensor wide = images.transpose(2, 3);  // not contiguous
    // Too large to be copied into a frame of what is outside.
    const at::Tensor large = test::wave({1, 2, 101, 110}, 0).repeat({8, 1, 1, 1});
    for (const std::string more : {"", "fill = 0.3\n"}) {
        for (const std::string settings :
             {"degrees = 180\nscale = [0.3, 3]\ntranslate = [1, 1]\nshear = [-60, 60, -60, 60]",
              "degrees = 1\ntranslate = [0.1, 0.1]", "degrees = 0"}) {
            CAPTURE(settings);
            for (const at::Tensor& batch : {images, wide, large}) {
                auto component = make(more + settings);
                const at::Tensor found = test::augment(component, batch);
                const at::Tensor expected = test::augment(component, batch.to(torch::kDouble));
                CHECK((expected.scalar_type() == torch::kDouble));
                CHECK(torch::allclose(found.to(torch::kDouble), expected, 1e-5, 1e-5));
            }
        }
    }
}

TEST_CASE("RandomAffine: an image of one row takes nothing from the image beside it") {
    for (const std::int64_t width : {200, 20000}) {
        at::Tensor images = torch::ones({1, 3, 1, width});
        images.select(1, 1).fill_(std::numeric_limits<float>::quiet_NaN());
        for (const char* degrees : {"degrees = [0.0005, 0.0005]", "degrees = [-0.0005, -0.0005]"}) {
            CAPTURE(width);
            CAPTURE(degrees);
            auto component = make(degrees);
            const at::Tensor found = test::augment(component, images);
            CHECK(found.select(1, 0).isfinite().all().item<bool>());
            CHECK(found.select(1, 2).isfinite().all().item<bool>());
        }
    }
}

// torchvision moves the turned image by x = 2, y = -1; here among the draws the same one is looked
// for.
TEST_CASE("RandomAffine: moves are torchvision's, after all else") {
    auto component =
        make("degrees = [25, 25]\nscale = [1.1, 1.1]\nshear = [5, 5]\ntranslate = [0.25, 0.17]");
    const at::Tensor images = test::wave({1, 2, 6, 8}, 0).repeat({100, 1, 1, 1});
    const at::Tensor moved = test::augment(component, images);
    bool is_found = false;
    for (int64_t i = 0; i < 100; ++i) {
        is_found = is_found || test::is_near(moved[i], "affine.moved");
    }
    CHECK(is_found);
}

TEST_CASE("RandomAffine: moves are whole pixels, as far as they may go, all about as likely") {
    constexpr int64_t kCount = 2000;
    auto component = make("translate = [0.5, 0]");
    at::Tensor images = torch::zeros({kCount, 1, 1, 5});
    images.select(-1, 2).fill_(1);  // only it can be seen
    const at::Tensor moved = test::augment(component, images).reshape({kCount, 5});
    const at::Tensor places = moved.argmax(1);
    CHECK(torch::allclose(moved.amax(1), torch::ones({kCount}), 1e-5, 1e-5));
    // uniform in [-2.5, 2.5), rounded: -2, -1, 0, 1 and 2 a fifth each
    for (int64_t place = 0; place < 5; ++place) {
        CHECK(places.eq(place).sum().item<int64_t>() == doctest::Approx(400).epsilon(0.15));
    }
}

TEST_CASE("RandomAffine: turns are spread evenly over their range") {
    constexpr int64_t kCount = 1000;
    auto component = make("degrees = 60");
    // A dot that starts above the middle of a large image; its angle tells the turn.
    at::Tensor images = torch::zeros({kCount, 1, 41, 41});
    images.select(-2, 4).select(-1, 20).fill_(1);
    const at::Tensor turned = test::augment(component, images).reshape({kCount, -1});
    const at::Tensor places = turned.argmax(1);
    double sum = 0;
    double squares = 0;
    for (int64_t i = 0; i < kCount; ++i) {
        const int64_t place = places[i].item<int64_t>();
        const int64_t row = place / 41;
        const double x = static_cast<double>(place % 41 - 20);
        const double y = static_cast<double>(20 - row);
        const double degrees = std::atan2(x, y) * 180 / 3.14159265358979;
        CHECK(std::abs(degrees) < 63);
        sum += degrees;
        squares += degrees * degrees;
    }
    CHECK(std::abs(sum / kCount) < 4);  // three deviations of the mean are 3.3
    CHECK(std::sqrt(squares / kCount) == doctest::Approx(60 / std::sqrt(3.0)).epsilon(0.06));
}

TEST_CASE("RandomAffine: does what every augmentation does") {
    test::check_augmentation("RandomAffine", "degrees = 40\nscale = [0.7, 1.4]");
}

TEST_CASE("RandomAffine: ranges that are none are refused") {
    const test::Wrong cases[] = {
        {"degrees = [10, -10]",
         "setting 'degrees': must be one number of at least 0, or two, the smaller one first"},
        {"degrees = -10",
         "setting 'degrees': must be one number of at least 0, or two, the smaller one first"},
        {"scale = [2, 1]",
         "setting 'scale': must be one number of at least 0, or two, the smaller one first"},
        {"shear = [0, 0, 5, 4]",
         "setting 'shear': must be one number of at least 0, or two, the smaller one first"},
        {"shear = [0, 1, 2]", "setting 'shear': must be one, two or four numbers"},
    };
    for (const test::Wrong& c : cases) {
        CAPTURE(c.settings);
        CHECK_THROWS_WITH_AS(make(c.settings), c.message, ptp::ConfigError);
    }
}

}  // namespace random_affine_test
