// Recurrent layers of one type, with the formulas, names, initial values and gradients of
// torch.nn.LSTM, GRU and RNN; and their state, its origin, and its form in streams.
#pragma once

#include <ptp/component.hpp>

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include <cstdint>
#include <string>
#include <vector>

namespace recurrent {

enum class CellType { kLstm, kGru, kRnnTanh, kRnnRelu };
inline constexpr const char* kCellTypes = "LSTM|GRU|RNN_TANH|RNN_RELU";

struct CellOptions {
    CellType type = CellType::kLstm;
    int64_t input_size = 0;
    int64_t hidden_size = 0;
    int64_t num_layers = 1;
    bool is_bidirectional = false;
    double dropout_rate = 0.0;  // between layers

    // Returns the number of layers, counting both directions.
    [[nodiscard]] int64_t layers() const { return num_layers * (is_bidirectional ? 2 : 1); }
};

// The state of all layers, first to last, forward before backward.
struct CellState {
    at::Tensor hidden;  // [L, B, H]
    at::Tensor memory;  // [L, B, H]; undefined except for LSTM
};

struct CellOutputs {
    at::Tensor activations;  // of the last layer, [B, S, H], or [B, S, 2 H] of both directions
    CellState state;         // after the last step of each sample
};

class RecurrentCell {
public:
    // The weights become parameters of `owner`: "rnn_cell.weight_ih_l0" and so on.
    RecurrentCell(torch::nn::Module& owner, const std::string& name, const CellOptions& options);

    // Runs all steps of the inputs, [B, S, I]; with `lengths`, an integer of at least 1 for each
    // sample, only the first ones: later activations are 0. Throws DataError if there are no steps,
    // if a vector has another size, or if a length is not in [1, S].
    [[nodiscard]] CellOutputs run(const at::Tensor& inputs, const at::Tensor* lengths,
                                  const CellState& state) const;

    // Runs a single step, [B, I].
    [[nodiscard]] CellOutputs step(const at::Tensor& inputs, const CellState& state) const;

    // Returns the state of the last layer after the last step: [B, H], or [B, 2 H] for both
    // directions; the backward one ends at the first step.
    [[nodiscard]] at::Tensor last_activation(const CellState& state) const;

    // Returns [B, L, H], and for LSTM [B, 2, L, H]: hidden state, then memory.
    [[nodiscard]] at::Tensor stream_of(const CellState& state) const;

    // Returns a weight, for its device and type.
    [[nodiscard]] const at::Tensor& any_weight() const { return weights_.front(); }

    [[nodiscard]] const CellOptions& options() const { return options_; }

private:
    [[nodiscard]] CellOutputs run_all(const at::Tensor& inputs, const CellState& state) const;
    void flatten_for_cudnn() const;
    [[nodiscard]] CellOutputs run_packed(const at::Tensor& inputs, const at::Tensor& lengths,
                                         const CellState& state) const;

    CellOptions options_;
    std::shared_ptr<torch::nn::Module> module_ = std::make_shared<torch::nn::Module>();
    // The weights as registered by the module: at::Tensor is a handle, and the module moves them to
    // another device in place.
    std::vector<at::Tensor> weights_;
};

// Throws DataError unless there is a length in [1, S] for each sample of the inputs, [B, S, I]. The
// names are for its message.
void check_lengths(const at::Tensor& lengths, const at::Tensor& inputs,
                   const char* name = "lengths", const char* of = "inputs");

enum class InitialState { kTrainable, kZero, kInput };
inline constexpr const char* kInitialStates = "Trainable|Zero|Input";

// The state before the first step: learned, zeros, or from a stream.
class StartState {
public:
    // Learned and zero states are parameters "init_hidden" and, for LSTM, "init_memory" of `owner`,
    // so that the weights of one can be loaded into the other; zeros are not trained.
    StartState(torch::nn::Module& owner, InitialState how, const CellOptions& options);

    // `stream` is the result of stream_of(); null unless the state comes from a stream.
    [[nodiscard]] CellState of(int64_t batch_size, const at::Tensor* stream) const;

private:
    at::Tensor hidden_;  // [L, 1, H]; undefined for kInput
    at::Tensor memory_;
    bool has_memory_;
};

}  // namespace recurrent
