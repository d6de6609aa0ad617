// The networks against torchvision's, with weights that both sides compute by the same formula.

#include "image_networks.hpp"
#include "support.hpp"

#include <cmath>

namespace generic_image_encoder_test {

namespace networks = test::networks;

namespace {

test::Component make(const std::string& settings, std::map<std::string, int64_t> sizes) {
    return test::build("vision_models", "GenericImageEncoder", settings,
                       {.sizes = std::move(sizes)});
}

test::Component make_with_head(const std::string& network, int64_t output_size = 5) {
    return make("model_type = \"" + network + "\"", {{"output_size", output_size}});
}

test::Component make_trunk(const std::string& network, int64_t height, int64_t width) {
    return make("model_type = \"" + network + "\"\nreturn_feature_maps = true",
                {{"input_height", height}, {"input_width", width}});
}

constexpr std::array kNetworks = {
    "vgg16",        "resnet18",           "resnet34",           "resnet50",
    "resnet101",    "resnet152",          "resnext50_32x4d",    "wide_resnet50_2",
    "densenet121",  "mobilenet_v3_large", "mobilenet_v3_small", "efficientnet_b0",
    "convnext_tiny"};

}  // namespace

TEST_CASE("GenericImageEncoder: computes what torchvision's networks compute") {
    const torch::NoGradGuard no_grad;
    for (const std::string network : kNetworks) {
        CAPTURE(network);
        auto net = make_with_head(network);
        networks::fill(net);
        net.set_training(false);
        networks::check_like(net.forward(networks::images(64, 96)), network + ".outputs");
    }
}

TEST_CASE("GenericImageEncoder: feature maps are those that torchvision's networks classify") {
    const torch::NoGradGuard no_grad;
    for (const std::string network : kNetworks) {
        CAPTURE(network);
        auto net = make_trunk(network, 70, 96);
        networks::fill(net);
        net.set_training(false);
        const at::Tensor maps = net.forward(networks::images(70, 96));
        networks::check_like(maps, network + ".maps");
        CHECK(net.published().at("feature_map_depth") == ptp::Data(maps.size(1)));
        CHECK(net.published().at("feature_map_height") == ptp::Data(maps.size(2)));
        CHECK(net.published().at("feature_map_width") == ptp::Data(maps.size(3)));
    }
}

TEST_CASE("GenericImageEncoder: names and sizes of all tensors are torchvision's") {
    for (const std::string network : kNetworks) {
        CAPTURE(network);
        auto net = make_with_head(network);
        networks::check_names(net, network);
    }
}

TEST_CASE("GenericImageEncoder: outputs, gradients and buffers are those of torchvision") {
    struct Case {
        std::string network;
        std::vector<std::string> gradients;
        std::vector<std::string> buffers;
        bool is_training = true;
    };
    // Chance drops numbers or blocks of the newer networks in training.
    const Case cases[] = {
        {"resnet18",
         {"conv1.weight", "bn1.bias", "layer1.1.conv2.weight", "layer3.0.downsample.0.weight",
          "layer4.1.bn2.weight", "fc.weight", "fc.bias"},
         {"bn1.running_mean", "layer4.1.bn2.running_var", "bn1.num_batches_tracked"}},
        {"resnext50_32x4d",
         {"conv1.weight", "layer3.0.downsample.0.weight", "layer4.1.bn2.weight", "fc.weight"},
         {"layer4.1.bn2.running_var"}},
        {"densenet121",
         {"features.conv0.weight", "features.denseblock2.denselayer7.conv2.weight",
          "features.transition2.conv.weight", "features.norm5.bias", "classifier.weight"},
         {"features.norm5.running_mean", "features.transition3.norm.running_var"}},
        {"mobilenet_v3_large",
         {"features.0.0.weight", "features.4.block.2.fc1.weight", "features.13.block.1.0.weight",
          "features.16.1.bias", "classifier.0.bias"},
         {},
         false},
        {"efficientnet_b0",
         {"features.0.0.weight", "features.4.1.block.2.fc2.bias", "features.6.2.block.1.1.weight",
          "classifier.1.weight"},
         {},
         false},
        {"convnext_tiny",
         {"features.0.0.weight", "features.3.1.block.0.weight", "features.5.4.layer_scale",
          "features.5.8.block.3.bias", "features.6.0.weight", "classifier.0.bias"},
         {},
         false}};
    for (const Case& c : cases) {
        auto net = make_with_head(c.network);
        networks::fill(net);
        networks::make_double(net);
        net.set_training(c.is_training);
        const at::Tensor outputs = net.forward(networks::images(64, 96).to(at::kDouble));
        networks::check_like(outputs, c.network + ".trained_outputs");
        (outputs * torch::arange(1.0, 6.0)).square().mean().backward();
        for (const std::string& name : c.gradients) {
            networks::check_like(net.parameters().at(name).grad(), c.network + ".gradient." + name);
        }
        for (const std::string& name : c.buffers) {
            networks::check_like(net.buffers().at(name), c.network + ".buffer." + name);
        }
    }
}

TEST_CASE("GenericImageEncoder: gradients reach every parameter, without a head too") {
    torch::manual_seed(1);
    for (const std::string network : {"resnet18", "resnet50", "densenet121", "mobilenet_v3_small",
                                      "efficientnet_b0", "convnext_tiny"}) {
        CAPTURE(network);
        auto net = make_trunk(network, 48, 48);
        net.forward(torch::rand({2, 3, 48, 48})).square().sum().backward();
        CHECK(test::without_gradient(net).empty());
    }
    auto vgg = make_with_head("vgg16");
    vgg.forward(torch::rand({2, 3, 32, 32})).square().sum().backward();
    CHECK(test::without_gradient(vgg).empty());
}

TEST_CASE("GenericImageEncoder: dropout acts in training, not in evaluation") {
    torch::manual_seed(1);
    const torch::NoGradGuard no_grad;
    const at::Tensor x = networks::images(32, 32);
    for (const char* network : {"vgg16", "mobilenet_v3_small", "efficientnet_b0"}) {
        CAPTURE(network);
        auto net = make_with_head(network);
        CHECK_FALSE(torch::equal(net.forward(x), net.forward(x)));
        net.set_training(false);
        CHECK(torch::equal(net.forward(x), net.forward(x)));
    }
}

TEST_CASE("GenericImageEncoder: in training, blocks of some samples are left out, others scaled") {
    // The last block, whose chance is 0.1, adds its maps divided by 0.9 to a sample, or nothing.
    torch::manual_seed(1);
    const torch::NoGradGuard no_grad;
    auto net = make_trunk("convnext_tiny", 32, 32);
    for (const auto& named : net.parameters()) {
        if (named.first.ends_with("layer_scale")) {
            at::Tensor scale = named.second;
            scale.fill_(named.first == "features.7.2.layer_scale" ? 1 : 0);
        }
    }
    const at::Tensor x = networks::images(32, 32)[0].expand({200, 3, 32, 32});
    net.set_training(true);
    const at::Tensor trained = net.forward(x);
    net.set_training(false);
    const at::Tensor evaluated = net.forward(x)[0];
    at::Tensor scale = net.parameters().at("features.7.2.layer_scale");
    scale.fill_(0);
    const at::Tensor without = net.forward(x)[0];
    int64_t count = 0;
    for (const at::Tensor& sample : trained.unbind(0)) {
        const bool is_dropped = torch::allclose(sample, without);
        count += is_dropped ? 1 : 0;
        CHECK((is_dropped ||
               torch::allclose(sample - without, (evaluated - without) / 0.9, 1e-4, 1e-5)));
    }
    CHECK(count > 5);  // of 200, each with a chance of 0.1
    CHECK(count < 40);
}

TEST_CASE("GenericImageEncoder: evaluation leaves the statistics of normalization as they are") {
    torch::manual_seed(1);
    const torch::NoGradGuard no_grad;
    auto net = make_with_head("resnet18");
    const at::Tensor mean = net.buffers().at("bn1.running_mean");
    const at::Tensor before = mean.clone();
    net.set_training(false);
    net.forward(networks::images(32, 32));
    CHECK(torch::equal(mean, before));
    net.set_training(true);
    net.forward(networks::images(32, 32));
    CHECK_FALSE(torch::equal(mean, before));
}

TEST_CASE("GenericImageEncoder: begins as torchvision's constructors do") {
    struct Case {
        std::string network;
        const char* parameter;
        double deviation;  // sqrt(2 / fan), but for a linear layer of VGG
    };
    // Fan-out: filters x height x width of a kernel. Fan-in: channels x height x width.
    const Case cases[] = {
        {"vgg16", "features.28.weight", std::sqrt(2.0 / (512 * 9))},
        {"vgg16", "classifier.3.weight", 0.01},
        {"resnet18", "layer2.0.conv1.weight", std::sqrt(2.0 / (128 * 9))},
        {"resnet50", "layer4.2.conv3.weight", std::sqrt(2.0 / 2048)},
        {"densenet121", "features.denseblock4.denselayer16.conv2.weight",
         std::sqrt(2.0 / (128 * 9))},
        {"mobilenet_v3_small", "features.11.block.1.0.weight", std::sqrt(2.0 / (576 * 25))},
        {"mobilenet_v3_small", "classifier.0.weight", 0.01},
        {"efficientnet_b0", "features.8.0.weight", std::sqrt(2.0 / 1280)},
        {"efficientnet_b0", "classifier.1.weight", std::sqrt(1.0 / 5 / 3)},
        {"convnext_tiny", "features.5.3.block.3.weight", 0.02},
        {"convnext_tiny", "features.6.1.weight", 0.02}};
    const std::map<std::string, std::vector<std::string>> zeros = {
        {"vgg16", {"features.0.bias", "classifier.6.bias"}},
        {"resnet18", {}},
        {"resnet50", {}},
        {"densenet121", {"classifier.bias"}},
        {"mobilenet_v3_small", {"classifier.3.bias", "features.4.block.2.fc1.bias"}},
        {"efficientnet_b0", {"classifier.1.bias"}},
        {"convnext_tiny", {"classifier.2.bias", "features.0.0.bias", "features.1.0.block.0.bias"}}};
    torch::manual_seed(1);
    for (const auto& [network, biases] : zeros) {
        CAPTURE(network);
        auto net = make_with_head(network);
        for (const Case& c : cases) {
            if (c.network == network) {
                CAPTURE(c.parameter);
                const at::Tensor weight = net.parameters().at(c.parameter);
                CHECK(weight.std().item<double>() == doctest::Approx(c.deviation).epsilon(0.03));
                CHECK(std::abs(weight.mean().item<double>()) < 0.03 * c.deviation);
            }
        }
        for (const std::string& bias : biases) {
            CHECK(net.parameters().at(bias).abs().sum().item<double>() == 0);
        }
    }
}

TEST_CASE(
    "GenericImageEncoder: sizes of maps are right for the smallest images, others are refused") {
    const torch::NoGradGuard no_grad;
    struct Case {
        const char* network;
        int64_t smallest;
    };
    for (const Case& c :
         {Case{"vgg16", 32}, Case{"resnet18", 1}, Case{"densenet121", 29},
          Case{"mobilenet_v3_large", 1}, Case{"efficientnet_b0", 1}, Case{"convnext_tiny", 32}}) {
        CAPTURE(c.network);
        auto net = make_trunk(c.network, c.smallest, c.smallest + 40);
        net.set_training(false);
        const at::Tensor maps = net.forward(torch::rand({1, 3, c.smallest, c.smallest + 40}));
        CHECK(net.published().at("feature_map_height") == ptp::Data(maps.size(2)));
        CHECK(net.published().at("feature_map_width") == ptp::Data(maps.size(3)));
    }
    CHECK_THROWS_WITH_AS(make_trunk("vgg16", 31, 64),
                         "images of 31 x 64 are too small: this network needs at least 32 x 32",
                         ptp::ConfigError);
    CHECK_THROWS_WITH_AS(make("model_type = \"densenet121\"",
                              {{"output_size", 2}, {"input_height", 64}, {"input_width", 28}}),
                         "images of 64 x 28 are too small: this network needs at least 29 x 29",
                         ptp::ConfigError);
}

TEST_CASE("GenericImageEncoder: a trunk has no parameters of a head") {
    CHECK(make_trunk("resnet18", 64, 64).parameters().count("fc.weight") == 0);
    CHECK(make_trunk("vgg16", 64, 64).parameters().count("classifier.0.weight") == 0);
    CHECK(make_trunk("densenet121", 64, 64).parameters().count("classifier.weight") == 0);
    CHECK(make_with_head("resnet18", 7).parameters().at("fc.weight").size(0) == 7);
}

}  // namespace generic_image_encoder_test
