// Ports, settings and states of recurrent layers.
#pragma once

#include "real_places.hpp"

#include <ptp/component.hpp>

#include <ATen/ops/_pack_padded_sequence.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/stack.h>
#include <torch/nn/modules/rnn.h>
#include <torch/nn/utils/rnn.h>

#include <array>
#include <tuple>
#include <type_traits>

namespace layers {

// The state of all layers and directions as a stream, the batch first; an LSTM has its memory after
// it. RecurrentNeuralNetwork has the same streams.
constexpr const char* kGruState = "B, ($num_layers * if($bidirectional, 2, 1)), $hidden_size";
constexpr const char* kLstmState = "B, 2, ($num_layers * if($bidirectional, 2, 1)), $hidden_size";

constexpr std::array<ptp::Port, 6> recurrent_ports(const char* state) {
    return {
        ptp::input("inputs", PTP_FLOAT, "B, length, input_size", "Sequences of vectors"),
        lengths_port(),
        ptp::input("input_state", PTP_FLOAT, state, "The state before the first item; else 0")
            .optional(),
        ptp::output("outputs", PTP_FLOAT, "B, length, ($hidden_size * if($bidirectional, 2, 1))",
                    "The state after each item; 0 for filling"),
        ptp::output("last", PTP_FLOAT, "B, ($hidden_size * if($bidirectional, 2, 1))",
                    "The state at the end of each direction"),
        ptp::output("output_state", PTP_FLOAT, state,
                    "The state of each layer and direction at its end")};
}

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

// States as torch.nn has them, with the layers before the batch.
using GruState = at::Tensor;
using LstmState = std::tuple<at::Tensor, at::Tensor>;

template <class State>
State state_of(const at::Tensor& stream) {
    if constexpr (std::is_same_v<State, LstmState>) {
        const at::Tensor both = stream.permute({1, 2, 0, 3}).contiguous();  // [B, 2, L, H] ->
        return {both[0], both[1]};                                          // [2, L, B, H]
    } else {
        return stream.transpose(0, 1).contiguous();  // [B, L, H] -> [L, B, H]
    }
}
inline at::Tensor stream_of(const GruState& state) {
    return state.transpose(0, 1);  // [L, B, H] -> [B, L, H]
}
inline at::Tensor stream_of(const LstmState& state) {
    return at::stack({std::get<0>(state), std::get<1>(state)})  // 2 of [L, B, H] ->
        .permute({2, 0, 1, 3});                                 // [B, 2, L, H]
}

// Returns the state at the end of the last layer: [layers * directions, B, H] ->
// [B, directions * H].
inline at::Tensor last_state(bool is_bidirectional, const GruState& state) {
    return is_bidirectional ? at::cat({state[-2], state[-1]}, 1) : state[-1];
}
inline at::Tensor last_state(bool is_bidirectional, const LstmState& state_and_cell) {
    return last_state(is_bidirectional, std::get<0>(state_and_cell));
}

// Computes the outputs, the last state and the states of all layers. Items that are filling are not
// read.
template <class State, class Net>
std::tuple<at::Tensor, at::Tensor, at::Tensor> run_recurrent(Net& net, const at::Tensor& inputs,
                                                             const at::Tensor* lengths,
                                                             const at::Tensor* input_state) {
    namespace rnn = torch::nn::utils::rnn;
    const bool is_bidirectional = net->options.bidirectional();
    using Start = std::conditional_t<std::is_same_v<State, LstmState>, torch::optional<LstmState>,
                                     at::Tensor>;
    Start start;
    if (input_state != nullptr) {
        start = state_of<State>(*input_state);
    }
    at::Tensor outputs;
    State state;
    if (lengths == nullptr) {
        std::tie(outputs, state) = net->forward(inputs, start);
    } else {
        check_lengths("lengths", *lengths, {"inputs", inputs});
        // As rnn::pack_padded_sequence without enforce_sorted, which fills memory of its own.
        const auto [sorted, order] = lengths->to(at::kCPU, at::kLong).sort(true, 0, true);
        const at::Tensor there = order.to(inputs.device());
        const auto [steps, batch_sizes] =
            at::_pack_padded_sequence(inputs.index_select(0, there), sorted, true);
        const rnn::PackedSequence packed(steps, batch_sizes, there,
                                         order.argsort().to(inputs.device()));
        const auto result = net->forward_with_packed_input(packed, start);
        state = std::get<1>(result);
        outputs =
            std::get<0>(rnn::pad_packed_sequence(std::get<0>(result), true, 0.0, inputs.size(1)));
    }
    return {outputs, last_state(is_bidirectional, state), stream_of(state)};
}

}  // namespace layers
