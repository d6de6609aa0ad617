#include "golden_check.hpp"

namespace question_driven_attention_test {

namespace {

test::Component make(std::string_view settings, int64_t depth, int64_t height, int64_t width,
                     int64_t question) {
    return test::build("fusion_models", "QuestionDrivenAttention", settings,
                       {.sizes = {{"feature_map_depth", depth},
                                  {"feature_map_height", height},
                                  {"feature_map_width", width},
                                  {"question_encoding_size", question}}});
}

}  // namespace

TEST_CASE("QuestionDrivenAttention: agrees with a result worked out by hand") {
    auto net = make("latent_size = 1\nnum_attention_heads = 2", 2, 1, 2, 1);
    test::set(net, "image_encodings_conv.weight", {1, 0});
    test::set(net, "question_encodings_ff.weight", {1});
    test::set(net, "question_encodings_ff.bias", {0});
    test::set(net, "attention_conv.weight", {std::log(3.0), 0});
    test::set(net, "attention_conv.bias", {5, 7});
    // The places (2, 0) and (0, 4) become (1, 0) and (0, 1). With the question 0, hidden is 1 and
    // 0; the weights of the first head are 3/4 and 1/4, those of the second 1/2.
    const at::Tensor maps = test::floats({2, 0, 0, 4}, {1, 2, 1, 2});
    const at::Tensor outputs = net.forward(maps, torch::zeros({1, 1}));
    CHECK(torch::allclose(outputs, test::floats({0.75, 0.25, 0.5, 0.5, 0}, {1, 5})));
    // With the question -1, relu makes both 0, and all weights equal; the question comes last.
    const at::Tensor same = net.forward(maps, -torch::ones({1, 1}));
    CHECK(torch::allclose(same, test::floats({0.5, 0.5, 0.5, 0.5, -1}, {1, 5})));
}

TEST_CASE("QuestionDrivenAttention: agrees with another implementation, gradients too") {
    const std::map<std::string, at::Tensor> inputs{{"feature_maps", test::wave({2, 3, 2, 3}, 0)},
                                                   {"question_encodings", test::wave({2, 4}, 1)}};
    auto fusion = make("latent_size = 5", 3, 2, 3, 4);
    CHECK(fusion.published().at("output_size") == ptp::Data(10));
    test::check_golden(fusion, "fusion_models", "question_driven_attention", inputs);
    auto image =
        make("latent_size = 5\nnum_attention_heads = 1\noutput_mode = \"Image\"", 3, 2, 3, 4);
    CHECK(image.published().at("output_size") == ptp::Data(3));
    test::check_golden(image, "fusion_models", "question_driven_attention_image", inputs);
}

TEST_CASE("QuestionDrivenAttention: a place that is all zeros gives zeros and finite gradients") {
    torch::manual_seed(1);
    auto net = make("", 3, 2, 2, 4);
    const at::Tensor maps = torch::zeros({1, 3, 2, 2}).requires_grad_(true);
    const at::Tensor outputs = net.forward(maps, torch::ones({1, 4}));
    CHECK(torch::equal(outputs, test::floats({0, 0, 0, 0, 0, 0, 1, 1, 1, 1}, {1, 10})));
    outputs.sum().backward();
    CHECK(torch::isfinite(maps.grad()).all().item<bool>());
}

TEST_CASE("QuestionDrivenAttention: dropout acts while training and not in evaluation") {
    auto net = make("dropout_rate = 0.5\nlatent_size = 16", 4, 2, 2, 8);
    const at::Tensor maps = test::wave({1, 4, 2, 2}, 0);
    const at::Tensor question = torch::ones({1, 8});
    torch::manual_seed(1);
    CHECK_FALSE(torch::equal(net.forward(maps, question), net.forward(maps, question)));
    net.set_training(false);
    CHECK(torch::equal(net.forward(maps, question), net.forward(maps, question)));
}

TEST_CASE("QuestionDrivenAttention: a size that nobody says is asked for") {
    CHECK_THROWS_WITH_AS(
        test::build("fusion_models", "QuestionDrivenAttention", "",
                    {.sizes = {{"question_encoding_size", 3}}, .name = "look"}),
        "the size 'feature_map_depth' is not known before the data flows; the "
        "component before 'look' must declare it, or a global must be named for it",
        ptp::ConfigError);
}

}  // namespace question_driven_attention_test
