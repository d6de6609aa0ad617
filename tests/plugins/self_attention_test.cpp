#include "golden_check.hpp"

namespace self_attention_test {

namespace {

test::Component make(std::string_view settings, int64_t size) {
    return test::build("fusion_models", "SelfAttention", settings,
                       {.sizes = {{"question_encoding_size", size}}});
}

}  // namespace

TEST_CASE("SelfAttention: agrees with a result worked out by hand") {
    auto net = make("latent_size = 1\nnum_attention_heads = 2", 1);
    test::set(net, "W1.weight", {1});
    test::set(net, "W1.bias", {0});
    test::set(net, "W2.weight", {std::log(3.0), 0});
    test::set(net, "W2.bias", {1, 2});
    // relu(1, -4) = (1, 0): weights 3/4 and 1/4, and 1/2 and 1/2
    const at::Tensor outputs = net.forward(test::floats({1, -4}, {1, 2, 1}));
    CHECK(torch::allclose(outputs, test::floats({-0.25, -1.5}, {1, 2})));
    CHECK(net.published().at("output_size") == ptp::Data(2));
}

TEST_CASE("SelfAttention: agrees with another implementation, gradients too") {
    auto net = make("latent_size = 5\nnum_attention_heads = 2", 4);
    test::check_golden(net, "fusion_models", "self_attention",
                       {{"question_encodings", test::wave({2, 3, 4}, 0)}});
}

TEST_CASE("SelfAttention: words without a mask count as if they were not there") {
    auto net = make("latent_size = 5\nnum_attention_heads = 2\nuse_masking = true", 4);
    const at::Tensor masks = test::bools({1, 1, 0, 0, 1, 1}).reshape({2, 3});
    test::check_golden(net, "fusion_models", "self_attention_masked",
                       {{"question_encodings", test::wave({2, 3, 4}, 0)}}, {{"masks", masks}});
}

TEST_CASE("SelfAttention: a question without words that count gives zeros, and gradients of 0") {
    auto net = make("use_masking = true", 4);
    const at::Tensor words = test::wave({1, 3, 4}, 0).requires_grad_(true);
    const at::Tensor outputs = net.forward(words, test::bools({0, 0, 0}).reshape({1, 3}));
    CHECK(torch::equal(outputs, torch::zeros({1, 16})));
    outputs.sum().backward();
    CHECK(torch::equal(words.grad(), torch::zeros({1, 3, 4})));
}

TEST_CASE("SelfAttention: a mask of all words changes nothing") {
    auto masked = make("use_masking = true", 4);
    auto plain = make("", 4);
    test::set_by_formula(masked);
    test::set_by_formula(plain);
    const at::Tensor words = test::wave({2, 3, 4}, 0);
    const at::Tensor outputs = masked.forward(words, torch::ones({2, 3}, torch::kBool));
    CHECK(torch::equal(outputs, plain.forward(words)));
}

TEST_CASE("SelfAttention: dropout acts while training and not in evaluation") {
    auto net = make("dropout_rate = 0.5", 4);
    const at::Tensor words = test::wave({1, 3, 4}, 0);
    torch::manual_seed(1);
    CHECK_FALSE(torch::equal(net.forward(words), net.forward(words)));
    net.set_training(false);
    CHECK(torch::equal(net.forward(words), net.forward(words)));
}

TEST_CASE("SelfAttention: a size that nobody says is asked for") {
    CHECK_THROWS_WITH_AS(test::build("fusion_models", "SelfAttention", "", {.name = "words"}),
                         "the size 'question_encoding_size' is not known before the data flows; "
                         "the component before "
                         "'words' must declare it, or a global must be named for it",
                         ptp::ConfigError);
}

}  // namespace self_attention_test
