#include "support.hpp"

namespace factorized_bilinear_pooling_test {

namespace {

test::Component make(std::string_view settings, int64_t image, int64_t question) {
    return test::build(
        "fusion_models", "FactorizedBilinearPooling", settings,
        {.sizes = {{"image_encoding_size", image}, {"question_encoding_size", question}}});
}

}  // namespace

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

}  // namespace factorized_bilinear_pooling_test
