// The networks against torchvision's, with weights that both sides compute by the same formula; see
// tests/golden/image_networks.py.

#include "support.hpp"

#include "support/paths.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

namespace generic_image_encoder_test {

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

std::vector<double> golden(const std::string& wanted) {
    std::ifstream file(ptp::test::source_dir() / "tests/golden/image_networks.txt");
    for (std::string line; std::getline(file, line);) {
        std::istringstream words(line);
        std::string name;
        words >> name;
        std::vector<double> numbers;
        for (std::string word; name == wanted && words >> word;) {
            numbers.push_back(std::stod(word));
        }
        if (!numbers.empty()) {
            return numbers;
        }
    }
    FAIL("no line " << wanted);
    return {};
}

constexpr int64_t kPrime = 65521;

// Element k of the tensor of this name, in [-0.5, 0.5).
class Noise {
public:
    explicit Noise(const std::string& name) {
        for (size_t i = 0; i < name.size(); ++i) {
            seed_ += static_cast<int64_t>(i + 1) * name[i];
        }
        seed_ %= kPrime;
    }
    double operator()(int64_t index) const {
        const int64_t k = index % kPrime;
        const int64_t mixed = (k * k % kPrime * 7919 + k * 31 + seed_ * (k + 17)) % kPrime;
        return static_cast<double>(mixed) / kPrime - 0.5;
    }

private:
    int64_t seed_ = 0;
};

void fill(const std::string& name, const at::Tensor& tensor) {
    double factor = 0.1;
    double offset = 0;
    if (tensor.dim() > 1) {
        factor = std::sqrt(24 / static_cast<double>(tensor[0].numel()));
    } else if (name.ends_with("weight")) {
        factor = 0.2;
        offset = 0.8;
    } else if (name.ends_with("running_var")) {
        factor = 0.4;
        offset = 1;
    }
    const Noise noise(name);
    float* numbers = tensor.data_ptr<float>();
    for (int64_t k = 0; k < std::min(tensor.numel(), kPrime); ++k) {
        numbers[k] = static_cast<float>(offset + factor * noise(k));
    }
    for (int64_t k = kPrime; k < tensor.numel(); ++k) {
        numbers[k] = numbers[k - kPrime];  // A network has up to 138 million.
    }
}

std::map<std::string, at::Tensor> tensors_of(test::Component& net) {
    std::map<std::string, at::Tensor> tensors = net.parameters();
    tensors.merge(net.buffers());
    return tensors;
}

void fill(test::Component& net) {
    const torch::NoGradGuard no_grad;
    for (const auto& named : tensors_of(net)) {
        if (named.second.is_floating_point()) {
            fill(named.first, named.second);
        }
    }
}

// In float32 the first gradients of DenseNet are rounding to 1 part in 1,000.
void make_double(test::Component& net) {
    const torch::NoGradGuard no_grad;
    for (const auto& named : tensors_of(net)) {
        if (named.second.is_floating_point()) {
            at::Tensor tensor = named.second;
            tensor.set_data(tensor.to(at::kDouble));
        }
    }
}

at::Tensor images(int64_t height, int64_t width) {
    const Noise noise("images");
    at::Tensor made = torch::empty({2, 3, height, width});
    float* numbers = made.data_ptr<float>();
    for (int64_t k = 0; k < made.numel(); ++k) {
        numbers[k] = static_cast<float>(noise(k)) * 4;
    }
    return made;
}

// Sizes, the sum, the sum of absolute values, and some elements at equal distances.
void check_like(const at::Tensor& tensor, const std::string& name) {
    CAPTURE(name);
    const std::vector<double> expected = golden(name);
    const auto rank = static_cast<size_t>(tensor.dim());
    REQUIRE(expected.size() > rank + 2);
    const std::vector<double> sizes(tensor.sizes().begin(), tensor.sizes().end());
    CHECK(std::equal(sizes.begin(), sizes.end(), expected.begin()));

    const at::Tensor flat = tensor.detach().to(torch::kDouble).flatten();
    const double scale = expected[rank + 1];
    CHECK(std::abs(flat.sum().item<double>() - expected[rank]) <= 1e-5 * scale);
    CHECK(std::abs(flat.abs().sum().item<double>() - scale) <= 1e-5 * scale);
    const double largest = flat.abs().max().item<double>();
    const int64_t step = std::max<int64_t>(1, flat.numel() / 7);
    for (size_t i = rank + 2; i < expected.size(); ++i) {
        CAPTURE(i);
        const double value = flat[static_cast<int64_t>(i - rank - 2) * step].item<double>();
        CHECK(std::abs(value - expected[i]) <= 1e-5 * largest);
    }
}

constexpr std::array kNetworks = {"vgg16",           "resnet18",        "resnet34",
                                  "resnet50",        "resnet101",       "resnet152",
                                  "resnext50_32x4d", "wide_resnet50_2", "densenet121"};

}  // namespace

TEST_CASE("GenericImageEncoder: computes what torchvision's networks compute") {
    const torch::NoGradGuard no_grad;
    for (const std::string network : kNetworks) {
        CAPTURE(network);
        auto net = make_with_head(network);
        fill(net);
        net.set_training(false);
        check_like(net.forward(images(64, 96)), network + ".outputs");
    }
}

TEST_CASE("GenericImageEncoder: feature maps are those that torchvision's networks classify") {
    const torch::NoGradGuard no_grad;
    for (const std::string network : kNetworks) {
        CAPTURE(network);
        auto net = make_trunk(network, 70, 96);
        fill(net);
        net.set_training(false);
        const at::Tensor maps = net.forward(images(70, 96));
        check_like(maps, network + ".maps");
        CHECK(net.published().at("feature_map_depth") == ptp::Data(maps.size(1)));
        CHECK(net.published().at("feature_map_height") == ptp::Data(maps.size(2)));
        CHECK(net.published().at("feature_map_width") == ptp::Data(maps.size(3)));
    }
}

TEST_CASE("GenericImageEncoder: names and sizes of all tensors are torchvision's") {
    for (const std::string network : kNetworks) {
        CAPTURE(network);
        auto net = make_with_head(network);
        uint64_t hash = 0;
        const auto tensors = tensors_of(net);
        for (const auto& named : tensors) {
            std::ostringstream text;
            text << named.first << " [";
            for (int64_t i = 0; i < named.second.dim(); ++i) {
                text << (i == 0 ? "" : ", ") << named.second.size(i);
            }
            text << "];";
            for (const char c : text.str()) {
                hash = (hash * 257 + static_cast<uint64_t>(c)) % 2147483647;
            }
        }
        CHECK(golden(network + ".names") ==
              std::vector<double>{static_cast<double>(tensors.size()), static_cast<double>(hash)});
    }
}

TEST_CASE(
    "GenericImageEncoder: in training it has the outputs, gradients and buffers of torchvision") {
    struct Case {
        std::string network;
        std::vector<std::string> gradients;
        std::vector<std::string> buffers;
    };
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
         {"features.norm5.running_mean", "features.transition3.norm.running_var"}}};
    for (const Case& c : cases) {
        auto net = make_with_head(c.network);
        fill(net);
        make_double(net);
        const at::Tensor outputs = net.forward(images(64, 96).to(at::kDouble));
        check_like(outputs, c.network + ".trained_outputs");
        (outputs * torch::arange(1.0, 6.0)).square().mean().backward();
        for (const std::string& name : c.gradients) {
            check_like(net.parameters().at(name).grad(), c.network + ".gradient." + name);
        }
        for (const std::string& name : c.buffers) {
            check_like(net.buffers().at(name), c.network + ".buffer." + name);
        }
    }
}

TEST_CASE("GenericImageEncoder: gradients reach every parameter, without a head too") {
    torch::manual_seed(1);
    for (const std::string network : {"resnet18", "resnet50", "densenet121"}) {
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
    auto net = make_with_head("vgg16");
    const at::Tensor x = images(32, 32);
    CHECK_FALSE(torch::equal(net.forward(x), net.forward(x)));
    net.set_training(false);
    CHECK(torch::equal(net.forward(x), net.forward(x)));
}

TEST_CASE("GenericImageEncoder: evaluation leaves the statistics of normalization as they are") {
    torch::manual_seed(1);
    const torch::NoGradGuard no_grad;
    auto net = make_with_head("resnet18");
    const at::Tensor mean = net.buffers().at("bn1.running_mean");
    const at::Tensor before = mean.clone();
    net.set_training(false);
    net.forward(images(32, 32));
    CHECK(torch::equal(mean, before));
    net.set_training(true);
    net.forward(images(32, 32));
    CHECK_FALSE(torch::equal(mean, before));
}

TEST_CASE("GenericImageEncoder: begins as torchvision's constructors do") {
    struct Case {
        std::string network;
        const char* parameter;
        double deviation;  // sqrt(2 / fan), but for a linear layer of VGG
    };
    // Fan-out: filters x height x width of a kernel. Fan-in: channels x height x width.
    const Case cases[] = {{"vgg16", "features.28.weight", std::sqrt(2.0 / (512 * 9))},
                          {"vgg16", "classifier.3.weight", 0.01},
                          {"resnet18", "layer2.0.conv1.weight", std::sqrt(2.0 / (128 * 9))},
                          {"resnet50", "layer4.2.conv3.weight", std::sqrt(2.0 / 2048)},
                          {"densenet121", "features.denseblock4.denselayer16.conv2.weight",
                           std::sqrt(2.0 / (128 * 9))}};
    const std::map<std::string, std::vector<std::string>> zeros = {
        {"vgg16", {"features.0.bias", "classifier.6.bias"}},
        {"resnet18", {}},
        {"resnet50", {}},
        {"densenet121", {"classifier.bias"}}};
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
    for (const Case& c : {Case{"vgg16", 32}, Case{"resnet18", 1}, Case{"densenet121", 29}}) {
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
