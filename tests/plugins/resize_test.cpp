#include "transform_check.hpp"

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

TEST_CASE("Resize: nearest pixels have nothing to smooth") {
    CHECK_THROWS_WITH_AS(make("size = [4, 5]\nmode = \"nearest\"\nantialias = true"),
                         "antialias = true: only mode = \"bilinear\" can do that",
                         ptp::ConfigError);
}
