#include "golden_check.hpp"

namespace feed_forward_network_test {

namespace {

test::Component make(std::string_view settings, int64_t inputs, int64_t predictions) {
    return test::build("general_models", "FeedForwardNetwork", settings,
                       {.sizes = {{"input_size", inputs}, {"prediction_size", predictions}}});
}

}  // namespace

TEST_CASE("FeedForwardNetwork: two layers agree with a result worked out by hand") {
    auto net = make("hidden_sizes = [2]\nuse_logsoftmax = false", 1, 1);
    test::set(net, "layers.0.weight", {1, -1});
    test::set(net, "layers.0.bias", {0, 0});
    test::set(net, "layers.2.weight", {10, 100});
    test::set(net, "layers.2.bias", {5});

    // relu(2, -2) = (2, 0), so 10 * 2 + 100 * 0 + 5; relu(-3, 3) = (0, 3), so 10 * 0 + 100 * 3 + 5
    const at::Tensor scores = net.forward(test::floats({2, -3}, {2, 1}));
    CHECK(torch::equal(scores, test::floats({25, 305}, {2, 1})));
}

TEST_CASE("FeedForwardNetwork: agrees with another implementation, gradients too") {
    const std::map<std::string, at::Tensor> inputs{{"inputs", test::wave({2, 3, 4}, 0)}};
    auto net = make("hidden_sizes = [5]\ndimensions = 3", 4, 3);
    test::check_golden(net, "fusion_models", "feed_forward_network", inputs);
    auto scores = make("hidden_sizes = [5]\ndimensions = 3\nuse_logsoftmax = false", 4, 3);
    test::check_golden(scores, "fusion_models", "feed_forward_network_scores", inputs);
}

TEST_CASE("FeedForwardNetwork: without hidden layers it is one linear layer and a log-softmax") {
    auto net = make("", 1, 2);
    CHECK(net.parameters().size() == 2);
    test::set(net, "layers.0.weight", {0, 0});
    test::set(net, "layers.0.bias", {0, 0});

    const at::Tensor predictions = net.forward(test::floats({7}, {1, 1}));
    CHECK(predictions[0][0].item<float>() == doctest::Approx(std::log(0.5)));
    CHECK(predictions[0][1].item<float>() == doctest::Approx(std::log(0.5)));
}

TEST_CASE("FeedForwardNetwork: a single hidden size needs no list") {
    auto net = make("hidden_sizes = 3", 4, 2);
    CHECK(net.parameters().at("layers.0.weight").sizes() == at::IntArrayRef({3, 4}));
    CHECK(net.parameters().at("layers.2.weight").sizes() == at::IntArrayRef({2, 3}));
}

TEST_CASE("FeedForwardNetwork: acts on the last of three dimensions as on rows") {
    auto net = make("hidden_sizes = [5]\ndimensions = 3", 4, 3);
    const at::Tensor inputs = torch::arange(24, torch::kFloat).reshape({2, 3, 4}) / 24;
    const at::Tensor all = net.forward(inputs);
    CHECK(all.sizes() == at::IntArrayRef({2, 3, 3}));
    CHECK(torch::allclose(all.exp().sum(2), torch::ones({2, 3})));

    auto rows = make("hidden_sizes = [5]", 4, 3);
    for (const auto& named : rows.parameters()) {
        const torch::NoGradGuard no_grad;
        named.second.copy_(net.parameters().at(named.first));
    }
    CHECK(torch::allclose(rows.forward(inputs.reshape({6, 4})), all.reshape({6, 3})));
}

TEST_CASE("FeedForwardNetwork: dropout acts while training and not in evaluation") {
    auto net = make("hidden_sizes = [64]\ndropout_rate = 0.5", 5, 2);
    CHECK(net.parameters().contains("layers.3.weight"));
    const at::Tensor inputs = torch::ones({1, 5});
    torch::manual_seed(1);
    CHECK_FALSE(torch::equal(net.forward(inputs), net.forward(inputs)));
    net.set_training(false);
    CHECK(torch::equal(net.forward(inputs), net.forward(inputs)));
    net.set_training(true);
    CHECK_FALSE(torch::equal(net.forward(inputs), net.forward(inputs)));
}

TEST_CASE("FeedForwardNetwork: a loss outside the plugin reaches every parameter inside it") {
    torch::manual_seed(1);
    auto net = make("hidden_sizes = [8, 4]", 5, 3);
    net.forward(torch::randn({6, 5})).select(1, 0).sum().backward();
    CHECK(test::without_gradient(net).empty());
}

TEST_CASE("FeedForwardNetwork: a size that nobody knows is asked for") {
    CHECK_THROWS_WITH_AS(
        test::build("general_models", "FeedForwardNetwork", "",
                    {.sizes = {{"prediction_size", 2}}, .name = "classifier"}),
        "the size 'input_size' is not known before the data flows; the component before "
        "'classifier' must declare it, or a global must be named for it",
        ptp::ConfigError);
}

TEST_CASE("FeedForwardNetwork: an input of the wrong size fails and leaves the output alone") {
    auto net = make("", 4, 2);
    CHECK_THROWS_AS(net.forward(torch::ones({3, 5})), std::runtime_error);
}

}  // namespace feed_forward_network_test
