#include "golden_check.hpp"

namespace low_rank_bilinear_pooling_test {

namespace {

test::Component make(std::string_view settings, int64_t image, int64_t question, int64_t output) {
    return test::build("fusion_models", "LowRankBilinearPooling", settings,
                       {.sizes = {{"image_encoding_size", image},
                                  {"question_encoding_size", question},
                                  {"output_size", output}}});
}

}  // namespace

TEST_CASE("LowRankBilinearPooling: agrees with a result worked out by hand") {
    auto net = make("", 2, 1, 2);
    test::set(net, "image_encodings_ff.weight", {1, 100, 2, 100});
    test::set(net, "image_encodings_ff.bias", {1, 0});
    test::set(net, "question_encodings_ff.weight", {10, 20});
    test::set(net, "question_encodings_ff.bias", {0, 3});
    // relu(3, -1) = (3, 0) gives 3 + 1 and 6; relu(2) gives 20 and 43
    const at::Tensor outputs =
        net.forward(test::floats({3, -1}, {1, 2}), test::floats({2}, {1, 1}));
    CHECK(torch::equal(outputs, test::floats({80, 258}, {1, 2})));
}

TEST_CASE("LowRankBilinearPooling: agrees with another implementation, gradients too") {
    auto net = make("", 3, 4, 5);
    test::check_golden(net, "fusion_models", "low_rank_bilinear_pooling",
                       {{"image_encodings", test::wave({2, 3}, 0)},
                        {"question_encodings", test::wave({2, 4}, 1)}});
}

TEST_CASE("LowRankBilinearPooling: dropout acts while training and not in evaluation") {
    auto net = make("dropout_rate = 0.5", 32, 32, 4);
    const at::Tensor ones = torch::ones({1, 32});
    torch::manual_seed(1);
    CHECK_FALSE(torch::equal(net.forward(ones, ones), net.forward(ones, ones)));
    net.set_training(false);
    CHECK(torch::equal(net.forward(ones, ones), net.forward(ones, ones)));
}

TEST_CASE("LowRankBilinearPooling: a size that nobody says is asked for") {
    CHECK_THROWS_WITH_AS(
        test::build("fusion_models", "LowRankBilinearPooling", "",
                    {.sizes = {{"image_encoding_size", 3}, {"output_size", 3}}, .name = "join"}),
        "the size 'question_encoding_size' is not known before the data flows; the "
        "component before 'join' must declare it, or a global must be named for it",
        ptp::ConfigError);
}

}  // namespace low_rank_bilinear_pooling_test
