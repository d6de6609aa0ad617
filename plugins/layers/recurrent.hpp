// Ports, settings and states of recurrent layers.
#pragma once

#include <ptp/component.hpp>

#include <ATen/ops/cat.h>
#include <torch/nn/modules/rnn.h>

#include <array>
#include <tuple>

namespace layers {

constexpr std::array kRecurrentPorts{
    ptp::input("inputs", PTP_FLOAT, "B, length, input_size", "Sequences of vectors"),
    ptp::output("outputs", PTP_FLOAT, "B, length, ($hidden_size * if($bidirectional, 2, 1))",
                "The state after each item"),
    ptp::output("last", PTP_FLOAT, "B, ($hidden_size * if($bidirectional, 2, 1))",
                "The state at the end of each direction")};

struct RecurrentConfig {
    int64_t hidden_size = 0;
    int64_t num_layers = 1;
    bool bias = true;
    double dropout = 0.0;
    bool bidirectional = false;

    static constexpr auto settings() {
        return std::tuple{
            ptp::setting("hidden_size", &RecurrentConfig::hidden_size,
                         {.help = "Length of a state", .range = "[1, inf)", .is_required = true}),
            ptp::setting("num_layers", &RecurrentConfig::num_layers,
                         {.help = "Number of layers on each other", .range = "[1, inf)"}),
            ptp::setting("bias", &RecurrentConfig::bias, {.help = "Whether biases are added"}),
            ptp::setting("dropout", &RecurrentConfig::dropout,
                         {.help = "The chance of dropping a number between two of num_layers",
                          .range = "[0, 1)"}),
            ptp::setting("bidirectional", &RecurrentConfig::bidirectional,
                         {.help = "Whether sequences are read backwards, too"})};
    }
};

template <class Options>
Options recurrent_options(const RecurrentConfig& config, ptp::Setup& setup) {
    return Options(setup.size("input_size"), config.hidden_size)
        .num_layers(config.num_layers)
        .bias(config.bias)
        .batch_first(true)
        .dropout(config.dropout)
        .bidirectional(config.bidirectional);
}

// Returns the state at the end of the last layer: [layers * directions, B, H] ->
// [B, directions * H].
inline at::Tensor last_state(bool is_bidirectional, const at::Tensor& state) {
    return is_bidirectional ? at::cat({state[-2], state[-1]}, 1) : state[-1];
}
inline at::Tensor last_state(bool is_bidirectional,
                             const std::tuple<at::Tensor, at::Tensor>& state_and_cell) {
    return last_state(is_bidirectional, std::get<0>(state_and_cell));
}

}  // namespace layers
