// Recurrent layers of one kind, as torch.nn.LSTM, GRU and RNN have them: the same formulas, names,
// initial values and gradients. Their state, where it comes from, and how streams carry it.
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

    // Those of both directions.
    [[nodiscard]] int64_t layers() const { return num_layers * (is_bidirectional ? 2 : 1); }
};

// Of all layers, first to last, forward before backward.
struct CellState {
    at::Tensor hidden;  // [L, B, H]
    at::Tensor memory;  // the same; undefined but with LSTM
};

struct CellOutputs {
    at::Tensor activations;  // of the last layer, [B, S, H], or [B, S, 2 H] of both directions
    CellState state;         // after the last step of each sample
};

class RecurrentCell {
public:
    // The weights become parameters of `owner`: "rnn_cell.weight_ih_l0" and so on.
    RecurrentCell(torch::nn::Module& owner, const std::string& name, const CellOptions& options);

    // Of all steps of the inputs, [B, S, I]; with `lengths`, an integer of at least 1 for each
    // sample, of its first ones alone: activations after these are 0. Throws DataError if there is
    // no step, if a vector has another size, or if a length is not in [1, S].
    [[nodiscard]] CellOutputs run(const at::Tensor& inputs, const at::Tensor* lengths,
                                  const CellState& state) const;

    // Of a single step, [B, I].
    [[nodiscard]] CellOutputs step(const at::Tensor& inputs, const CellState& state) const;

    // That of the last layer, after the last step: [B, H], or [B, 2 H] of both directions; the
    // backward one ends at the first step.
    [[nodiscard]] at::Tensor last_activation(const CellState& state) const;

    // [B, L, H], and with LSTM [B, 2, L, H]: hidden state, then memory.
    [[nodiscard]] at::Tensor stream_of(const CellState& state) const;

    // One that is on the right device and has the right type.
    [[nodiscard]] const at::Tensor& any_weight() const { return weights_.front(); }

    [[nodiscard]] const CellOptions& options() const { return options_; }

private:
    [[nodiscard]] CellOutputs run_all(const at::Tensor& inputs, const CellState& state) const;
    void flatten_for_cudnn() const;
    [[nodiscard]] CellOutputs run_packed(const at::Tensor& inputs, const at::Tensor& lengths,
                                         const CellState& state) const;

    CellOptions options_;
    std::shared_ptr<torch::nn::Module> module_ = std::make_shared<torch::nn::Module>();
    // As the module has registered them: at::Tensor is a handle, and to another device they move
    // in place.
    std::vector<at::Tensor> weights_;
};

// Throws DataError unless there is one of [1, S] for each sample of the inputs, [B, S, I]. The
// names are for its message.
void check_lengths(const at::Tensor& lengths, const at::Tensor& inputs,
                   const char* name = "lengths", const char* of = "inputs");

enum class InitialState { kTrainable, kZero, kInput };
inline constexpr const char* kInitialStates = "Trainable|Zero|Input";

// The state before the first step: learned, zeros, or from a stream.
class StartState {
public:
    // Learned ones and zeros are parameters "init_hidden" and, with LSTM, "init_memory" of `owner`,
    // so that the weights of the one can be loaded into the other; zeros are not trained.
    StartState(torch::nn::Module& owner, InitialState how, const CellOptions& options);

    // `stream`: what stream_of() returns; null unless the state comes from one.
    [[nodiscard]] CellState of(int64_t batch_size, const at::Tensor* stream) const;

private:
    at::Tensor hidden_;  // [L, 1, H]; undefined with kInput
    at::Tensor memory_;
    bool has_memory_;
};

}  // namespace recurrent
