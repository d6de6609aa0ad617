#include "golden_check.hpp"

namespace factorized_bilinear_pooling_test {

namespace {

test::Component make(std::string_view settings, int64_t image, int64_t question) {
    return test::build(
        "fusion_models", "FactorizedBilinearPooling", settings,
        {.sizes = {{"image_encoding_size", image}, {"question_encoding_size", question}}});
}

}  // namespace

TEST_CASE("FactorizedBilinearPooling: agrees with a result worked out by hand") {
    auto net = make("latent_size = 2\npool_factor = 2", 1, 1);
    test::set(net, "image_encodings_ff.weight", {1, 2, 3, 4});
    test::set(net, "image_encodings_ff.bias", {0, 0, 0, 0});
    test::set(net, "question_encodings_ff.weight", {1, 4, 0, -4});
    test::set(net, "question_encodings_ff.bias", {0, 0, 0, 0});
    // Products 1, 8, 0, -16; pooled 9, -16; roots 3, -4; of length 5
    const at::Tensor one = torch::ones({1, 1});
    CHECK(torch::allclose(net.forward(one, one), test::floats({0.6, -0.8}, {1, 2})));
    CHECK(net.published().at("output_size") == ptp::Data(2));
}

TEST_CASE("FactorizedBilinearPooling: agrees with another implementation, gradients too") {
    const std::map<std::string, at::Tensor> inputs{{"image_encodings", test::wave({2, 3}, 0)},
                                                   {"question_encodings", test::wave({2, 4}, 1)}};
    auto net = make("latent_size = 3\npool_factor = 2", 3, 4);
    test::check_golden(net, "fusion_models", "factorized_bilinear_pooling", inputs);
    auto single = make("latent_size = 2\npool_factor = 1", 3, 4);
    test::check_golden(single, "fusion_models", "factorized_bilinear_pooling_single", inputs);
}

TEST_CASE("FactorizedBilinearPooling: the slope is finite where the products are 0") {
    auto net = make("latent_size = 3\npool_factor = 2", 2, 2);
    test::set(net, "image_encodings_ff.bias", {0, 0, 0, 0, 0, 0});
    const at::Tensor zeros = torch::zeros({1, 2}).requires_grad_(true);
    const at::Tensor outputs = net.forward(zeros, torch::ones({1, 2}));
    CHECK(torch::equal(outputs, torch::zeros({1, 3})));
    outputs.sum().backward();
    CHECK(torch::isfinite(zeros.grad()).all().item<bool>());
    for (const auto& named : net.parameters()) {
        CAPTURE(named.first);
        CHECK(torch::isfinite(named.second.grad()).all().item<bool>());
    }
}

TEST_CASE("FactorizedBilinearPooling: dropout acts while training and not in evaluation") {
    auto net = make("dropout_rate = 0.5", 4, 4);
    CHECK(net.parameters().at("image_encodings_ff.weight").sizes() == at::IntArrayRef({200, 4}));
    const at::Tensor ones = torch::ones({1, 4});
    torch::manual_seed(1);
    const at::Tensor dropped = net.forward(ones, ones);
    CHECK_FALSE(torch::equal(dropped, net.forward(ones, ones)));
    // A projection is dropped, or the other, or the product: 1 - 0.5^3; of both neighbors.
    CHECK(dropped.eq(0).sum().item<int64_t>() > 50);
    net.set_training(false);
    CHECK(torch::equal(net.forward(ones, ones), net.forward(ones, ones)));
    CHECK(net.forward(ones, ones).eq(0).sum().item<int64_t>() == 0);
}

TEST_CASE("FactorizedBilinearPooling: a size that nobody says is asked for") {
    CHECK_THROWS_WITH_AS(
        test::build("fusion_models", "FactorizedBilinearPooling", "",
                    {.sizes = {{"question_encoding_size", 3}}, .name = "join"}),
        "the size 'image_encoding_size' is not known before the data flows; the component before "
        "'join' must declare it, or a global must be named for it",
        ptp::ConfigError);
}

}  // namespace factorized_bilinear_pooling_test
