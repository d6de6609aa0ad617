// The frequencies of the words that CausalTransformer draws; tests/cases and tests/peers have more.

#include "support.hpp"

#include <c10/core/GradMode.h>

#include <string>
#include <vector>

namespace causal_transformer_test {

namespace {

constexpr int64_t kSamples = 40;
constexpr int64_t kLength = 50;  // of a continuation

// Returns the shares of five words in continuations by a network that has the probabilities 1/2,
// 1/4, 1/8, 1/16 and 1/16 for them, whatever was before.
at::Tensor shares(const std::string& settings) {
    test::Component net = test::build(
        "language_models", "CausalTransformer",
        "hidden_size = 2\nnum_heads = 1\nnum_layers = 1\nmax_length = 60\ndecoding = \"Sampling\"\n"
        "continuation_length = " +
            std::to_string(kLength) + "\n" + settings,
        {.sizes = {{"vocab_size", 5}}});
    const c10::AutoGradMode without_gradients(false);
    // The normalized steps are (1, 0): the scores are the first column of the vectors.
    net.parameters().at("ln_f.weight").zero_();
    net.parameters().at("ln_f.bias").copy_(test::floats({1, 0}, {2}));
    net.parameters()
        .at("wte.weight")
        .select(1, 0)
        .copy_(test::floats({0.5, 0.25, 0.125, 0.0625, 0.0625}, {5}).log());
    net.set_training(false);
    const auto outputs = net.run({{"inputs", at::zeros({kSamples, 3}, at::kLong)}});
    const at::Tensor words = outputs.at("continuation").tensor();
    return words.flatten().bincount({}, 5).to(at::kDouble) / (kSamples * kLength);
}

// 2000 draws: four deviations of a share of 1/2 are 0.045.
bool are_near(const at::Tensor& drawn, const std::vector<double>& expected) {
    return drawn.allclose(test::floats(expected, {5}).to(at::kDouble), 0, 0.045);
}

}  // namespace

TEST_CASE("CausalTransformer: words are drawn as often as they are likely") {
    CHECK(are_near(shares(""), {0.5, 0.25, 0.125, 0.0625, 0.0625}));
}

TEST_CASE("CausalTransformer: a temperature of 2 takes the roots of the probabilities") {
    // The roots are 0.707, 0.5, 0.354, 0.25, 0.25; their sum is 2.061.
    CHECK(are_near(shares("temperature = 2.0"), {0.343, 0.243, 0.172, 0.121, 0.121}));
}

TEST_CASE("CausalTransformer: top_k draws among the likeliest words alone") {
    const at::Tensor drawn = shares("top_k = 3");
    CHECK(are_near(drawn, {4.0 / 7, 2.0 / 7, 1.0 / 7, 0, 0}));
    CHECK(drawn.narrow(0, 3, 2).sum().item<double>() == 0);
}

TEST_CASE("CausalTransformer: top_p draws among the fewest words that reach it") {
    // 1/2 + 1/4 is less than 0.8; with 1/8 it is reached.
    const at::Tensor drawn = shares("top_p = 0.8");
    CHECK(are_near(drawn, {4.0 / 7, 2.0 / 7, 1.0 / 7, 0, 0}));
    CHECK(drawn.narrow(0, 3, 2).sum().item<double>() == 0);
    CHECK(shares("top_p = 0.7").narrow(0, 2, 3).sum().item<double>() == 0);
}

TEST_CASE("CausalTransformer: top_p counts among the words that top_k leaves") {
    // The first two of three words have 6/7.
    CHECK(are_near(shares("top_k = 3\ntop_p = 0.8"), {2.0 / 3, 1.0 / 3, 0, 0, 0}));
}

}  // namespace causal_transformer_test
