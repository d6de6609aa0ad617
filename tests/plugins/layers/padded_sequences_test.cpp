// Layers over sequences with filling compute what torch::nn does with each sequence alone.

#include "plugins/support.hpp"

#include <torch/nn/modules/activation.h>
#include <torch/nn/modules/rnn.h>
#include <torch/nn/modules/transformerlayer.h>

#include <functional>

namespace padded_sequences_test {

namespace nn = torch::nn;

namespace {

constexpr std::uint64_t kSeed = 5;
constexpr int64_t kLengths[] = {3, 6, 1};  // of sequences of at most 6
constexpr int64_t kSamples = 3;
constexpr int64_t kItems = 6;

at::Tensor lengths() {
    return test::integers({3, 6, 1});
}

// True up to the length of each.
at::Tensor masks() {
    return torch::arange(kItems).unsqueeze(0) < lengths().unsqueeze(1);
}

test::Component make(const char* type, const char* settings, std::vector<int64_t> shape,
                     std::vector<std::string> wired, std::map<std::string, int64_t> sizes) {
    torch::manual_seed(kSeed);
    return test::build(
        "layers", type, settings,
        {.sizes = std::move(sizes), .shapes = {{"inputs", shape}}, .optional_inputs = wired});
}

void check_close(const at::Tensor& tensor, const at::Tensor& expected) {
    REQUIRE(tensor.sizes() == expected.sizes());
    CHECK(torch::allclose(tensor, expected, 1e-5, 1e-6));
}

// Compares parameters' gradients of what the layer and torch::nn computed; both are backward once.
void check_gradients(test::Component& layer, const nn::Module& reference) {
    const auto parameters = layer.parameters();
    for (const auto& item : reference.named_parameters()) {
        CAPTURE(item.key());
        REQUIRE(item.value().grad().defined());
        check_close(parameters.at(item.key()).grad(), item.value().grad());
    }
}

at::Tensor weighted_sum(const at::Tensor& tensor) {
    const at::Tensor weights = torch::arange(tensor.numel(), torch::kFloat).cos();
    return (tensor * weights.reshape(tensor.sizes())).sum();
}

struct Recurrence {
    at::Tensor outputs;  // [1, length, D * H]
    at::Tensor state;    // as the stream of a sample: [1, L, H] or [1, 2, L, H]
};

// Runs a sequence alone from a state of that form, or from zeros.
Recurrence alone(nn::GRU& net, const at::Tensor& inputs, const at::Tensor& state) {
    const auto [outputs, end] =
        net->forward(inputs, state.defined() ? state.transpose(0, 1).contiguous() : state);
    return {outputs, end.transpose(0, 1)};
}
Recurrence alone(nn::LSTM& net, const at::Tensor& inputs, const at::Tensor& state) {
    torch::optional<std::tuple<at::Tensor, at::Tensor>> start;
    if (state.defined()) {
        start = std::tuple{state.select(1, 0).transpose(0, 1).contiguous(),
                           state.select(1, 1).transpose(0, 1).contiguous()};
    }
    const auto [outputs, end] = net->forward(inputs, start);
    return {outputs, at::stack({std::get<0>(end), std::get<1>(end)}, 0).permute({2, 0, 1, 3})};
}

// With and without lengths, and with and without an initial state.
template <class Net>
void check_recurrent(const char* type, Net net, const std::vector<int64_t>& state_shape) {
    for (const bool has_lengths : {true, false}) {
        for (const bool has_state : {true, false}) {
            CAPTURE(has_lengths);
            CAPTURE(has_state);
            std::vector<std::string> wired;
            test::Slots slots;
            torch::manual_seed(kSeed + 1);
            const at::Tensor inputs = torch::randn({kSamples, kItems, 4});
            at::Tensor state;
            slots.emplace("inputs", inputs.clone());
            if (has_lengths) {
                wired.emplace_back("lengths");
                slots.emplace("lengths", lengths());
                slots.at("inputs") = inputs.masked_fill(masks().logical_not().unsqueeze(2),
                                                        std::numeric_limits<float>::quiet_NaN());
            }
            if (has_state) {
                wired.emplace_back("input_state");
                state = torch::randn(state_shape);
                slots.emplace("input_state", state);
            }
            auto layer = make(type, "hidden_size = 5\nnum_layers = 2\nbidirectional = true",
                              {kSamples, kItems, 4}, wired, {{"input_size", 4}});
            for (const auto& item : net->named_parameters()) {
                const torch::NoGradGuard no_gradients;
                item.value().copy_(layer.parameters().at(item.key()));
                item.value().mutable_grad() = at::Tensor();
            }
            test::Slots results = layer.run(slots);
            std::vector<at::Tensor> outputs;
            std::vector<at::Tensor> states;
            for (int64_t i = 0; i < kSamples; ++i) {
                const int64_t length = has_lengths ? kLengths[i] : kItems;
                const Recurrence one = alone(net, inputs.narrow(0, i, 1).narrow(1, 0, length),
                                             has_state ? state.narrow(0, i, 1) : at::Tensor());
                outputs.push_back(at::constant_pad_nd(one.outputs, {0, 0, 0, kItems - length}));
                states.push_back(one.state);
            }
            const at::Tensor expected = at::cat(outputs);
            const at::Tensor ends = at::cat(states);
            check_close(results.at("outputs").tensor(), expected);
            check_close(results.at("output_state").tensor(), ends);
            const at::Tensor hidden = ends.dim() == 4 ? ends.select(1, 0) : ends;
            check_close(results.at("last").tensor(), hidden.narrow(1, 2, 2).flatten(1));
            (weighted_sum(results.at("outputs").tensor()) +
             weighted_sum(results.at("output_state").tensor()))
                .backward();
            (weighted_sum(expected) + weighted_sum(ends)).backward();
            check_gradients(layer, *net);
        }
    }
}

}  // namespace

TEST_CASE("GRU, LSTM: lengths and initial states equal torch::nn with each sequence alone") {
    check_recurrent(
        "GRU", nn::GRU(nn::GRUOptions(4, 5).batch_first(true).num_layers(2).bidirectional(true)),
        {kSamples, 4, 5});
    check_recurrent(
        "LSTM", nn::LSTM(nn::LSTMOptions(4, 5).batch_first(true).num_layers(2).bidirectional(true)),
        {kSamples, 2, 4, 5});
}

namespace {

// Checks a layer whose keys are those of `inputs`; `alone` computes a sequence, [T, 1, E].
void check_attending(const char* type, const char* settings, const nn::Module& reference,
                     const std::function<at::Tensor(const at::Tensor&)>& alone,
                     const char* size_name) {
    for (const char* wired : {"lengths", "masks"}) {
        CAPTURE(wired);
        auto layer = make(type, settings, {kSamples, kItems, 8}, {wired}, {{size_name, 8}});
        for (const auto& item : reference.named_parameters()) {
            const torch::NoGradGuard no_gradients;
            item.value().copy_(layer.parameters().at(item.key()));
            item.value().mutable_grad() = at::Tensor();
        }
        torch::manual_seed(kSeed + 1);
        const at::Tensor inputs = torch::randn({kSamples, kItems, 8});
        const bool has_lengths = std::string(wired) == "lengths";
        const at::Tensor outputs =
            layer.run({{"inputs", inputs}, {wired, has_lengths ? lengths() : masks()}})
                .at("outputs")
                .tensor();
        at::Tensor sum = torch::zeros({});
        at::Tensor expected_sum = torch::zeros({});
        for (int64_t i = 0; i < kSamples; ++i) {
            const at::Tensor expected =
                alone(inputs[i].narrow(0, 0, kLengths[i]).unsqueeze(1)).squeeze(1);
            const at::Tensor real = outputs[i].narrow(0, 0, kLengths[i]);
            check_close(real, expected);
            sum = sum + weighted_sum(real);
            expected_sum = expected_sum + weighted_sum(expected);
        }
        sum.backward();
        expected_sum.backward();
        check_gradients(layer, reference);
    }
}

}  // namespace

TEST_CASE("MultiheadAttention: without filling as torch::nn with each sequence alone") {
    nn::MultiheadAttention reference(nn::MultiheadAttentionOptions(8, 2));
    check_attending(
        "MultiheadAttention", "num_heads = 2", *reference,
        [&](const at::Tensor& in) { return std::get<0>(reference->forward(in, in, in)); },
        "embed_dim");
}

TEST_CASE("TransformerEncoderLayer: without filling as torch::nn with each sequence alone") {
    nn::TransformerEncoderLayer reference(
        nn::TransformerEncoderLayerOptions(8, 2).dim_feedforward(16).dropout(0.0));
    check_attending(
        "TransformerEncoderLayer", "nhead = 2\ndim_feedforward = 16\ndropout = 0.0", *reference,
        [&](const at::Tensor& in) { return reference->forward(in); }, "d_model");
}

namespace {

// Returns what `forward` computes of each item and those before it, without later ones: [T, 1, E].
at::Tensor each_with_those_before(const at::Tensor& in,
                                  const std::function<at::Tensor(const at::Tensor&)>& forward) {
    std::vector<at::Tensor> items;
    for (int64_t i = 0; i < in.size(0); ++i) {
        items.push_back(forward(in.narrow(0, 0, i + 1))[i]);
    }
    return at::stack(items);
}

}  // namespace

TEST_CASE("MultiheadAttention, TransformerEncoderLayer: is_causal lets no item see later ones") {
    nn::MultiheadAttention attention(nn::MultiheadAttentionOptions(8, 2));
    check_attending(
        "MultiheadAttention", "num_heads = 2\nis_causal = true", *attention,
        [&](const at::Tensor& in) {
            return each_with_those_before(in, [&](const at::Tensor& part) {
                return std::get<0>(attention->forward(part, part, part));
            });
        },
        "embed_dim");
    nn::TransformerEncoderLayer layer(
        nn::TransformerEncoderLayerOptions(8, 2).dim_feedforward(16).dropout(0.0));
    check_attending(
        "TransformerEncoderLayer",
        "nhead = 2\ndim_feedforward = 16\ndropout = 0.0\nis_causal = true", *layer,
        [&](const at::Tensor& in) {
            return each_with_those_before(
                in, [&](const at::Tensor& part) { return layer->forward(part); });
        },
        "d_model");
}

TEST_CASE("MultiheadAttention: filling of the memory is no key, by lengths, masks or both") {
    nn::MultiheadAttention reference(nn::MultiheadAttentionOptions(8, 2));
    auto layer = make("MultiheadAttention", "num_heads = 2", {kSamples, 2, 8},
                      {"memory", "memory_lengths", "memory_masks", "lengths"}, {{"embed_dim", 8}});
    for (const auto& item : reference->named_parameters()) {
        const torch::NoGradGuard no_gradients;
        item.value().copy_(layer.parameters().at(item.key()));
    }
    torch::manual_seed(kSeed + 1);
    const at::Tensor inputs = torch::randn({kSamples, 2, 8});
    const at::Tensor memory = torch::randn({kSamples, kItems, 8});
    at::Tensor real = torch::ones({kSamples, kItems}, torch::kBool);
    real[1][0] = false;  // of a sequence whose length is that of all
    const at::Tensor outputs = layer
                                   .run({{"inputs", inputs},
                                         {"memory", memory},
                                         {"memory_lengths", lengths()},
                                         {"memory_masks", real},
                                         {"lengths", test::integers({1, 2, 1})}})
                                   .at("outputs")
                                   .tensor();
    for (int64_t i = 0; i < kSamples; ++i) {
        const int64_t first = i == 1 ? 1 : 0;
        const at::Tensor key =
            memory[i].narrow(0, first, kLengths[i] - first).unsqueeze(1);  // [S, 1, E]
        check_close(outputs[i],
                    std::get<0>(reference->forward(inputs[i].unsqueeze(1), key, key)).squeeze(1));
    }
}

TEST_CASE("layers: lengths and masks that are wrong are refused") {
    const at::Tensor inputs = torch::zeros({2, 3, 4});
    auto gru = make("GRU", "hidden_size = 5", {2, 3, 4}, {"lengths"}, {{"input_size", 4}});
    const auto message_of = [&](test::Component& layer, const char* name, const at::Tensor& value) {
        try {
            layer.run({{"inputs", inputs}, {name, value}});
        } catch (const std::exception& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    CHECK(message_of(gru, "lengths", test::integers({3, 0})) ==
          "lengths[1] = 0: must be in [1, 3], the number of items that inputs has");
    CHECK(message_of(gru, "lengths", test::integers({4, 3})) ==
          "lengths[0] = 4: must be in [1, 3], the number of items that inputs has");
    CHECK(message_of(gru, "lengths", test::integers({3})) ==
          "lengths has the sizes [1], must have [2], one for each sample");
    auto attention =
        make("MultiheadAttention", "num_heads = 2", {2, 3, 4}, {"masks"}, {{"embed_dim", 4}});
    at::Tensor masks = torch::ones({2, 3}, torch::kBool);
    CHECK(message_of(attention, "masks", masks) == "");
    masks[1].fill_(false);
    CHECK(message_of(attention, "masks", masks) ==
          "masks is false for all items of sample 1 of inputs: attention needs one that is real");
    CHECK(message_of(attention, "masks", torch::ones({2, 2}, torch::kBool)) ==
          "masks has the sizes [2, 2], must have [2, 3], one for each item");
    auto causal = make("MultiheadAttention", "num_heads = 2\nis_causal = true", {2, 3, 4},
                       {"masks"}, {{"embed_dim", 4}});
    masks[1][2] = true;
    CHECK(message_of(causal, "masks", masks) ==
          "masks is false for the first item of sample 1 of inputs: with is_causal filling comes "
          "after the real items");
}

}  // namespace padded_sequences_test
