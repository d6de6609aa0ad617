#include "support.hpp"

namespace compact_bilinear_pooling_test {

namespace {

test::Component make(std::string_view settings, int64_t image, int64_t question, int64_t output) {
    return test::build("fusion_models", "CompactBilinearPooling", settings,
                       {.sizes = {{"image_encoding_size", image},
                                  {"question_encoding_size", question},
                                  {"output_size", output}}});
}

}  // namespace

TEST_CASE("CompactBilinearPooling: the sketches are a function of libtorch's seed") {
    torch::manual_seed(7);
    auto first = make("", 50, 60, 16);
    torch::manual_seed(7);
    auto second = make("", 50, 60, 16);
    auto third = make("", 50, 60, 16);
    CHECK(first.buffers().size() == 4);
    for (const auto& named : first.buffers()) {
        CAPTURE(named.first);
        CHECK(torch::equal(named.second, second.buffers().at(named.first)));
        CHECK_FALSE(torch::equal(named.second, third.buffers().at(named.first)));
    }
    const at::Tensor places = first.buffers().at("image_sketch_places");
    CHECK(places.min().item<int64_t>() >= 0);
    CHECK(places.max().item<int64_t>() < 16);
    CHECK(torch::equal(first.buffers().at("image_sketch_signs").abs(), torch::ones({50})));
}

TEST_CASE("CompactBilinearPooling: a learned projection begins as a random sketch") {
    auto net = make("trainable_projections = true", 50, 60, 16);
    const at::Tensor matrix = net.parameters().at("image_sketch_projection_matrix");
    CHECK(matrix.sizes() == at::IntArrayRef({50, 16}));
    CHECK(torch::equal(matrix.abs().sum(1), torch::ones({50})));
    CHECK(torch::equal(matrix.abs().amax(1), torch::ones({50})));
}

}  // namespace compact_bilinear_pooling_test
