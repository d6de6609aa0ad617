// The common parts of TransformerEncoder and TransformerDecoder: their settings, and a stack of
// layers.
#pragma once

#include "transformer_layer.hpp"

#include <ptp/component.hpp>

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>
#include <torch/nn/modules/normalization.h>

#include <array>
#include <cstdint>
#include <memory>
#include <tuple>
#include <vector>

namespace transformer {

struct StackConfig {
    int64_t num_layers = 2;
    int64_t num_heads = 4;
    int64_t feedforward_size = 512;
    double dropout_rate = 0.1;
    Activation activation = Activation::kRelu;
    bool norm_first = false;
    bool is_causal = false;
    bool add_positions = true;
    bool use_lengths = false;
    bool output_attention_maps = false;

    // Returns all settings except output_attention_maps, which refers to different attentions in
    // each.
    static constexpr auto settings() {
        return std::tuple{
            ptp::setting("num_layers", &StackConfig::num_layers,
                         {.help = "Number of layers", .range = "[1, inf)"}),
            ptp::setting(
                "num_heads", &StackConfig::num_heads,
                {.help = "Number of attentions of a layer, side by side", .range = "[1, inf)"}),
            ptp::setting(
                "feedforward_size", &StackConfig::feedforward_size,
                {.help = "Width of the hidden layer behind an attention", .range = "[1, inf)"}),
            ptp::setting("dropout_rate", &StackConfig::dropout_rate,
                         {.help = "Chance of dropping an element of positions, attention, hidden "
                                  "layer and sums while training",
                          .range = "[0, 1)"}),
            ptp::setting("activation", &StackConfig::activation,
                         {.help = "Of the hidden layer", .choices = "ReLU|GELU"}),
            ptp::setting("norm_first", &StackConfig::norm_first,
                         {.help = "Whether inputs of attention and linear layers are normalized, "
                                  "not sums"}),
            ptp::setting("is_causal", &StackConfig::is_causal,
                         {.help = "Whether steps do not attend to later ones"}),
            ptp::setting("add_positions", &StackConfig::add_positions,
                         {.help = "Whether waves that tell steps from each other are added to the "
                                  "inputs"}),
            ptp::setting("use_lengths", &StackConfig::use_lengths,
                         {.help = "Whether sequences end after their own number of steps"})};
    }
};

inline constexpr ptp::Port kInputs =
    ptp::input("inputs", PTP_FLOAT, "B, length, input_size", "Sequences of vectors");
inline constexpr ptp::Port kLengths =
    ptp::input("lengths", PTP_INTEGER, "B", "Number of real steps of each sequence")
        .when("use_lengths");
inline constexpr std::array kGlobals{
    ptp::reads_if_named("input_size", "Length of a vector; else known from the stream")};
inline constexpr std::array kRequirements{
    ptp::requirement("input_size % $num_heads = 0", "must be a divisor of the size of the inputs")};

// The sequences to which a decoder's steps attend.
struct Memory {
    const at::Tensor& values;   // [B, S, E]
    const at::Tensor* lengths;  // [B]; null: all steps are real
};

class Stack {
public:
    // The layers and, with norm_first, "norm" are in `owner`. Throws SettingError if `size` is not
    // divisible by num_heads.
    Stack(torch::nn::Module& owner, const StackConfig& config, int64_t size, bool has_memory);

    // Returns the encoded or decoded steps, [B, S, E], and the attention maps, undefined if they
    // are not an output. `lengths` and `memory` are optional. Throws DataError if lengths do not
    // fit.
    [[nodiscard]] std::tuple<at::Tensor, at::Tensor> forward(const at::Tensor& inputs,
                                                             const at::Tensor* lengths,
                                                             const Memory* memory,
                                                             bool is_training);

private:
    StackConfig config_;
    std::vector<Layer> layers_;
    torch::nn::LayerNorm norm_ = nullptr;
};

}  // namespace transformer
