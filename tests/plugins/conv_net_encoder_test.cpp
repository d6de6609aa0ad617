#include "support.hpp"

namespace conv_net_encoder_test {

namespace {

test::Component make(std::string_view settings, int64_t depth, int64_t height, int64_t width) {
    return test::build(
        "vision_models", "ConvNetEncoder", settings,
        {.sizes = {{"input_depth", depth}, {"input_height", height}, {"input_width", width}}});
}

constexpr const char* kTiny =
    "conv1 = { out_channels = 1, kernel_size = 1 }\nmaxpool1 = { kernel_size = 2 }\n"
    "conv2 = { out_channels = 1, kernel_size = 1 }\nmaxpool2 = { kernel_size = 1 }\n"
    "conv3 = { out_channels = 1, kernel_size = 2 }\nmaxpool3 = { kernel_size = 1 }\n";

}  // namespace

TEST_CASE("ConvNetEncoder: agrees with a result worked out by hand") {
    auto net = make(kTiny, 1, 4, 4);
    test::set(net, "conv1.weight", {2});
    test::set(net, "conv1.bias", {-10});
    test::set(net, "conv2.weight", {1});
    test::set(net, "conv2.bias", {1});
    test::set(net, "conv3.weight", {1, 10, 100, 1000});
    test::set(net, "conv3.bias", {0});
    std::vector<double> image;
    for (int i = 1; i <= 16; ++i) {
        image.push_back(i);
    }
    // 2x - 10, the largest of each 2 x 2 (6, 8, 14, 16): 2 6 18 22; all positive; + 1: 3 7 19 23;
    // then 3 + 70 + 1900 + 23000
    const at::Tensor maps = net.forward(test::floats(image, {1, 1, 4, 4}));
    CHECK(torch::equal(maps, test::floats({24973}, {1, 1, 1, 1})));
    // 2 * -x - 10 is negative everywhere: relu gives 0, + 1, and 1 + 10 + 100 + 1000
    const at::Tensor dark = net.forward(-test::floats(image, {1, 1, 4, 4}));
    CHECK(torch::equal(dark, test::floats({1111}, {1, 1, 1, 1})));
}

TEST_CASE("ConvNetEncoder: the sizes it publishes are those it computes, as integers") {
    struct Case {
        const char* settings;
        int64_t height, width, out_height, out_width;
    };
    const Case cases[] = {
        // 28: conv 26, pool 13; conv 11, pool 5; conv 3, pool 1
        {"", 28, 28, 1, 1},
        // 64: 62 31, 29 14, 12 6; 48: 46 23, 21 10, 8 4
        {"", 64, 48, 6, 4},
        // pooling differs: height 28: 26 13, 11 5, 3 3; width 40: 38 19, 17 8, 6 6
        {"maxpool3.kernel_size = 1", 28, 40, 3, 6},
        // stride 2 and padding 1: 28: (28+2-3)/2+1 = 14, 7; 5, 2; conv3 padded: 2, 1
        {"conv1 = { stride = 2, padding = 1 }\nconv3.padding = 1", 28, 28, 1, 1},
    };
    for (const Case& c : cases) {
        CAPTURE(c.settings);
        auto net = make(c.settings, 1, c.height, c.width);
        CHECK(net.published().at("feature_map_depth") == ptp::Data(16));
        CHECK(net.published().at("feature_map_height") == ptp::Data(c.out_height));
        CHECK(net.published().at("feature_map_width") == ptp::Data(c.out_width));
        const at::Tensor maps = net.forward(torch::zeros({2, 1, c.height, c.width}));
        CHECK(maps.sizes() == at::IntArrayRef({2, 16, c.out_height, c.out_width}));
    }
}

TEST_CASE("ConvNetEncoder: an image that is too small is refused, with the layer") {
    CHECK_THROWS_WITH_AS(
        make("", 3, 20, 64),
        "conv3: its input is 3 x 14, too small for kernel_size 3 and pooling by 2; "
        "take larger images, smaller kernels or more padding",
        ptp::ConfigError);
    CHECK_THROWS_WITH_AS(make("conv1.kernel_size = 9", 3, 8, 8),
                         "conv1: its input is 8 x 8, too small for kernel_size 9 and pooling by 2; "
                         "take larger images, smaller kernels or more padding",
                         ptp::ConfigError);
}

TEST_CASE("ConvNetEncoder: gradients reach every parameter") {
    torch::manual_seed(1);
    auto net = make("", 3, 28, 28);
    net.forward(torch::rand({8, 3, 28, 28})).sum().backward();
    CHECK(net.parameters().size() == 6);
    CHECK(test::without_gradient(net).empty());
}

TEST_CASE("ConvNetEncoder: batch normalization centers each channel of a batch before the ReLU") {
    auto net = make(std::string(kTiny) + "use_batch_norm = true\n", 1, 4, 4);
    test::set(net, "conv1.weight", {2});
    test::set(net, "conv1.bias", {-10});
    test::set(net, "conv2.weight", {1});
    test::set(net, "conv2.bias", {1});
    test::set(net, "conv3.weight", {1, 0, 0, 0});
    test::set(net, "conv3.bias", {0});
    const at::Tensor images =
        torch::cat({torch::ones({1, 1, 4, 4}), torch::ones({1, 1, 4, 4}) * 3});
    // Two values m - d and m + d, equally often, become -1 and 1, and 0 and 1 by the ReLU; the next
    // layer makes -1 and 1 of these again.
    const at::Tensor maps = net.forward(images);
    CHECK(torch::allclose(maps, test::floats({0, 1}, {2, 1, 1, 1}), 1e-4));
    CHECK(net.buffers().at("norm1.num_batches_tracked").item<int64_t>() == 1);
    // The mean of 2 * 1 - 10 and 2 * 3 - 10 with the momentum 0.1
    CHECK(net.buffers().at("norm1.running_mean").item<float>() == doctest::Approx(-0.6));

    // In evaluation the running numbers count, and stay as they are; one image suffices.
    net.set_training(false);
    CHECK(net.forward(images.slice(0, 0, 1)).sizes() == at::IntArrayRef({1, 1, 1, 1}));
    CHECK(net.buffers().at("norm1.num_batches_tracked").item<int64_t>() == 1);
}

}  // namespace conv_net_encoder_test
