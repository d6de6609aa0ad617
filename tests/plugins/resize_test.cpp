#include "transform_check.hpp"

namespace resize_test {

namespace {

test::Component make(const std::string& settings) {
    return test::build("transforms", "Resize", settings);
}

}  // namespace

TEST_CASE("Resize: values and gradients are those of torch.nn.functional.interpolate") {
    struct Case {
        const char* name;
        const char* settings;
        std::vector<int64_t> shape;
    };
    const Case cases[] = {
        {"resize.larger", "size = [7, 5]", {2, 2, 4, 3}},
        {"resize.smaller", "size = [3, 2]", {1, 2, 8, 9}},
        {"resize.antialias", "size = [3, 2]\nantialias = true", {1, 2, 8, 9}},
        {"resize.nearest", "size = [3, 5]\nmode = \"nearest\"", {1, 2, 8, 3}},
    };
    for (const Case& c : cases) {
        auto component = make(c.settings);
        test::check_transform(component, c.name, test::wave(c.shape, 0));
    }
}

TEST_CASE("Resize: to its own size nothing changes") {
    const at::Tensor images = test::wave({1, 1, 4, 5}, 0);
    for (const char* how : {"", "antialias = true", "mode = \"nearest\""}) {
        CAPTURE(how);
        CHECK(torch::allclose(make("size = [4, 5]\n" + std::string(how)).forward(images), images));
    }
}

TEST_CASE("Resize: of masks pixels are taken, no number comes in between, and the type stays") {
    const at::Tensor classes = test::integers({0, 1, 2,  //
                                               3, 4, 5,  //
                                               6, 7, 9})
                                   .view({1, 3, 3});
    // rows floor(i * 3 / 2) = 0, 1; columns floor(i * 3 / 5) = 0, 0, 1, 1, 2
    const at::Tensor resized =
        make("size = [2, 5]\nmode = \"nearest\"\nelement = \"integer\"").forward(classes);
    CHECK((resized.scalar_type() == at::kLong));
    CHECK(torch::equal(resized, test::integers({0, 0, 1, 1, 2, 3, 3, 4, 4, 5}).view({1, 2, 5})));

    const at::Tensor large = test::integers({9007199254740993, -1, 7, 8}).view({2, 2, 1});
    CHECK(torch::equal(
        make("size = [1, 1]\nmode = \"nearest\"\nelement = \"integer\"").forward(large),
        test::integers({9007199254740993, 7}).view({2, 1, 1})));
    const at::Tensor small = make("size = [1, 1]\nmode = \"nearest\"\nelement = \"integer\"")
                                 .forward(large.to(at::kShort));
    CHECK((small.scalar_type() == at::kShort));

    const at::Tensor marks = test::bools({1, 0, 0, 1}).view({1, 2, 2});
    const at::Tensor resized_marks =
        make("size = [4, 1]\nmode = \"nearest\"\nelement = \"bool\"").forward(marks);
    CHECK((resized_marks.scalar_type() == at::kBool));
    CHECK(torch::equal(resized_marks, test::bools({1, 1, 0, 0}).view({1, 4, 1})));
}

TEST_CASE("Resize: a mask keeps the pixels that its image keeps, at every pair of sizes") {
    for (int64_t old_size = 1; old_size <= 20; ++old_size) {
        const at::Tensor mask = torch::arange(old_size, torch::kLong).view({1, old_size, 1});
        const at::Tensor image = mask.to(torch::kFloat).unsqueeze(1);
        for (int64_t new_size = 1; new_size <= 40; ++new_size) {
            CAPTURE(old_size);
            CAPTURE(new_size);
            const std::string size =
                "mode = \"nearest\"\nsize = [" + std::to_string(new_size) + ", 2]\n";
            CHECK(torch::equal(make(size + "element = \"integer\"").forward(mask),
                               make(size).forward(image).squeeze(1).to(torch::kLong)));
        }
    }
}

TEST_CASE("Resize: masks are not smoothed") {
    for (const std::string element : {"integer", "bool"}) {
        CHECK_THROWS_WITH_AS(
            make("size = [4, 5]\nelement = \"" + element + "\""),
            ("element = \"" + element + "\": only mode = \"nearest\" takes masks").c_str(),
            ptp::ConfigError);
    }
}

TEST_CASE("Resize: nearest pixels have nothing to smooth") {
    CHECK_THROWS_WITH_AS(make("size = [4, 5]\nmode = \"nearest\"\nantialias = true"),
                         "antialias = true: only mode = \"bilinear\" can do that",
                         ptp::ConfigError);
}

}  // namespace resize_test
