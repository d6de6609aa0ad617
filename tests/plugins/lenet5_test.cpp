#include "support.hpp"

#include <torch/csrc/autograd/function.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

namespace lenet5_test {

namespace {

test::Component make(int64_t classes) {
    return test::build("vision_models", "LeNet5", "", {.sizes = {{"prediction_size", classes}}});
}

// An independent LeNet-5 on plain arrays: no libtorch function but the one that reads an element.
struct Maps {
    int64_t channels, height, width;
    std::vector<double> values;

    double& at(int64_t c, int64_t y, int64_t x) {
        return values[static_cast<size_t>((c * height + y) * width + x)];
    }
};

Maps convolve_and_rectify(Maps& in, const at::Tensor& weight, const at::Tensor& bias) {
    const int64_t k = weight.size(2);
    Maps out{weight.size(0), in.height - k + 1, in.width - k + 1, {}};
    out.values.resize(static_cast<size_t>(out.channels * out.height * out.width));
    const auto w = weight.accessor<float, 4>();
    for (int64_t o = 0; o < out.channels; ++o) {
        for (int64_t y = 0; y < out.height; ++y) {
            for (int64_t x = 0; x < out.width; ++x) {
                double sum = bias[o].item<double>();
                for (int64_t c = 0; c < in.channels; ++c) {
                    for (int64_t i = 0; i < k * k; ++i) {
                        sum += w[o][c][i / k][i % k] * in.at(c, y + i / k, x + i % k);
                    }
                }
                out.at(o, y, x) = std::max(sum, 0.0);
            }
        }
    }
    return out;
}

Maps pool(Maps& in) {
    Maps out{in.channels, in.height / 2, in.width / 2, {}};
    out.values.resize(static_cast<size_t>(out.channels * out.height * out.width));
    for (int64_t c = 0; c < out.channels; ++c) {
        for (int64_t y = 0; y < out.height; ++y) {
            for (int64_t x = 0; x < out.width; ++x) {
                out.at(c, y, x) =
                    std::max({in.at(c, 2 * y, 2 * x), in.at(c, 2 * y, 2 * x + 1),
                              in.at(c, 2 * y + 1, 2 * x), in.at(c, 2 * y + 1, 2 * x + 1)});
            }
        }
    }
    return out;
}

std::vector<double> linear(const std::vector<double>& in, const at::Tensor& weight,
                           const at::Tensor& bias) {
    std::vector<double> out;
    for (int64_t o = 0; o < weight.size(0); ++o) {
        double sum = bias[o].item<double>();
        for (size_t i = 0; i < in.size(); ++i) {
            sum += weight[o][static_cast<int64_t>(i)].item<double>() * in[i];
        }
        out.push_back(sum);
    }
    return out;
}

std::vector<double> reference(std::map<std::string, at::Tensor> p, const at::Tensor& image) {
    Maps maps{1, 32, 32, {}};
    const at::Tensor flat = image.to(at::kDouble).contiguous();
    maps.values.assign(flat.data_ptr<double>(), flat.data_ptr<double>() + flat.numel());
    maps = convolve_and_rectify(maps, p["conv1.weight"].detach(), p["conv1.bias"]);
    maps = pool(maps);
    maps = convolve_and_rectify(maps, p["conv2.weight"].detach(), p["conv2.bias"]);
    maps = pool(maps);
    maps = convolve_and_rectify(maps, p["conv3.weight"].detach(), p["conv3.bias"]);
    std::vector<double> x = linear(maps.values, p["linear1.weight"], p["linear1.bias"]);
    for (double& value : x) {
        value = std::max(value, 0.0);
    }
    x = linear(x, p["linear2.weight"], p["linear2.bias"]);
    double sum = 0;
    for (const double value : x) {
        sum += std::exp(value);
    }
    for (double& value : x) {
        value -= std::log(sum);
    }
    return x;
}

// Returns how many ReLUs the operations behind a result have.
int relus_before(const at::Tensor& result) {
    int count = 0;
    std::set<torch::autograd::Node*> seen;
    std::vector<torch::autograd::Node*> left = {result.grad_fn().get()};
    while (!left.empty()) {
        auto* const node = left.back();
        left.pop_back();
        if (node == nullptr || !seen.insert(node).second) {
            continue;
        }
        count += node->name() == "ReluBackward0" ? 1 : 0;
        for (const auto& edge : node->next_edges()) {
            left.push_back(edge.function.get());
        }
    }
    return count;
}

}  // namespace

TEST_CASE("LeNet5: agrees with an implementation on plain arrays") {
    auto net = make(10);
    test::set_by_formula(net);
    const at::Tensor images =
        torch::arange(2 * 32 * 32, torch::kFloat).sin().reshape({2, 1, 32, 32});
    const at::Tensor predictions = net.forward(images);
    REQUIRE(predictions.sizes() == at::IntArrayRef({2, 10}));
    for (int64_t i = 0; i < 2; ++i) {
        const std::vector<double> expected = reference(net.parameters(), images[i][0]);
        for (int64_t c = 0; c < 10; ++c) {
            CAPTURE(c);
            CHECK(predictions[i][c].item<double>() ==
                  doctest::Approx(expected[static_cast<size_t>(c)]).epsilon(1e-4));
        }
    }
}

TEST_CASE("LeNet5: has the parameters of the network, by their names") {
    struct Case {
        const char* name;
        std::vector<int64_t> sizes;
    };
    const Case cases[] = {{"conv1.weight", {6, 1, 5, 5}},    {"conv1.bias", {6}},
                          {"conv2.weight", {16, 6, 5, 5}},   {"conv2.bias", {16}},
                          {"conv3.weight", {120, 16, 5, 5}}, {"conv3.bias", {120}},
                          {"linear1.weight", {84, 120}},     {"linear1.bias", {84}},
                          {"linear2.weight", {7, 84}},       {"linear2.bias", {7}}};
    auto net = make(7);
    CHECK(net.parameters().size() == std::size(cases));
    CHECK(net.buffers().empty());
    for (const Case& c : cases) {
        CAPTURE(c.name);
        CHECK(net.parameters().at(c.name).sizes() == at::IntArrayRef(c.sizes));
    }
}

TEST_CASE("LeNet5: gradients reach every parameter") {
    torch::manual_seed(1);
    auto net = make(10);
    net.forward(torch::rand({4, 1, 32, 32})).select(1, 0).sum().backward();
    CHECK(test::without_gradient(net).empty());
}

TEST_CASE("LeNet5: training and evaluation do the same, there is nothing that differs") {
    torch::manual_seed(1);
    auto net = make(10);
    const at::Tensor images = torch::rand({2, 1, 32, 32});
    const at::Tensor before = net.forward(images);
    net.set_training(false);
    CHECK(torch::equal(net.forward(images), before));
}

TEST_CASE("LeNet5: images of another shape than declared are refused") {
    auto net = make(10);
    CHECK_THROWS_WITH_AS(net.forward(torch::zeros({4, 1, 32, 33})),
                         "inputs has the sizes [4, 1, 32, 33], must have [any, 1, 32, 32], as its "
                         "port declares",
                         ptp::DataError);
    CHECK_THROWS_WITH_AS(net.forward(torch::zeros({1, 32, 32})),
                         "inputs has the sizes [1, 32, 32], must have [any, 1, 32, 32], as its "
                         "port declares",
                         ptp::DataError);
}

TEST_CASE("LeNet5: an observer sees each ReLU, with the bits that it has otherwise") {
    auto net = make(10);
    auto observed = test::build("vision_models", "LeNet5", "",
                                {.sizes = {{"prediction_size", 10}}, .is_observed = true});
    test::set_by_formula(net);
    test::set_by_formula(observed);
    torch::manual_seed(1);
    const at::Tensor images = torch::rand({2, 1, 32, 32});
    const at::Tensor ours = net.forward(images);
    const at::Tensor theirs = observed.forward(images);
    CHECK(relus_before(ours) == 2);
    CHECK(relus_before(theirs) == 4);
    CHECK(torch::equal(ours, theirs));
    ours.select(1, 0).sum().backward();
    theirs.select(1, 0).sum().backward();
    for (auto& [name, parameter] : net.parameters()) {
        CAPTURE(name);
        CHECK(torch::equal(parameter.grad(), observed.parameters().at(name).grad()));
    }
}

}  // namespace lenet5_test
