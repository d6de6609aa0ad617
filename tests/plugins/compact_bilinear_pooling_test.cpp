#include "golden_check.hpp"

namespace compact_bilinear_pooling_test {

namespace {

test::Component make(std::string_view settings, int64_t image, int64_t question, int64_t output) {
    return test::build("fusion_models", "CompactBilinearPooling", settings,
                       {.sizes = {{"image_encoding_size", image},
                                  {"question_encoding_size", question},
                                  {"output_size", output}}});
}

// Element k goes to place 3 k + 1, the even ones with the sign -1.
void set_sketches(test::Component& net, int64_t output) {
    for (const char* of : {"image", "question"}) {
        const at::Tensor places = net.buffers().at(std::string(of) + "_sketch_places");
        const at::Tensor k = torch::arange(places.numel());
        places.copy_((3 * k + 1).remainder(output));
        net.buffers().at(std::string(of) + "_sketch_signs").copy_(k.remainder(2) * 2 - 1);
    }
}

const std::map<std::string, at::Tensor>& inputs() {
    static const std::map<std::string, at::Tensor> all{
        {"image_encodings", test::wave({2, 3}, 0)}, {"question_encodings", test::wave({2, 4}, 1)}};
    return all;
}

}  // namespace

TEST_CASE("CompactBilinearPooling: a sketch of the outer product, worked out by hand") {
    auto net = make("", 2, 2, 3);
    set_sketches(net, 3);
    // Both elements go to place 1, the first with -1: (0, 5 - 2, 0) and (0, 10 - 100, 0). Their
    // circular convolution is 3 * -90 at place 2.
    const at::Tensor outputs =
        net.forward(test::floats({2, 5}, {1, 2}), test::floats({100, 10}, {1, 2}));
    CHECK(torch::allclose(outputs, test::floats({0, 0, -270}, {1, 3}), 1e-5, 1e-4));
}

TEST_CASE("CompactBilinearPooling: agrees with convolutions term by term, gradients too") {
    for (const auto& [output, name] : {std::pair(5, "compact_bilinear_pooling"),
                                       std::pair(4, "compact_bilinear_pooling_even")}) {
        auto net = make("", 3, 4, output);
        set_sketches(net, output);
        CHECK(net.parameters().empty());
        test::check_golden(net, "fusion_models", name, inputs());
    }
    auto learned = make("trainable_projections = true", 3, 4, 5);
    CHECK(learned.parameters().size() == 2);
    CHECK(learned.buffers().empty());
    test::check_golden(learned, "fusion_models", "compact_bilinear_pooling_trainable", inputs());
}

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

TEST_CASE("CompactBilinearPooling: encodings in bf16 are sketched in floats") {
    auto net = make("", 2, 2, 3);
    set_sketches(net, 3);
    const at::Tensor outputs = net.forward(test::floats({2, 5}, {1, 2}).to(torch::kBFloat16),
                                           test::floats({100, 10}, {1, 2}).to(torch::kBFloat16));
    CHECK((outputs.scalar_type() == torch::kFloat));
    CHECK(torch::allclose(outputs, test::floats({0, 0, -270}, {1, 3}), 1e-5, 1e-4));
}

TEST_CASE("CompactBilinearPooling: an output of one number is the product of two sums") {
    auto net = make("", 2, 1, 1);
    set_sketches(net, 1);
    const at::Tensor outputs = net.forward(test::floats({2, 5}, {1, 2}), test::floats({4}, {1, 1}));
    CHECK(torch::allclose(outputs, test::floats({-12}, {1, 1})));  // (5 - 2) * -4
}

TEST_CASE("CompactBilinearPooling: a size that nobody says is asked for") {
    CHECK_THROWS_WITH_AS(
        test::build("fusion_models", "CompactBilinearPooling", "",
                    {.sizes = {{"question_encoding_size", 3}, {"output_size", 3}}, .name = "join"}),
        "the size 'image_encoding_size' is not known before the data flows; the component before "
        "'join' must declare it, or a global must be named for it",
        ptp::ConfigError);
}

}  // namespace compact_bilinear_pooling_test
