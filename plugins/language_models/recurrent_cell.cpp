// Runs LSTM, GRU and RNN over whole sequences, packed ones, or one step.

#include "recurrent_cell.hpp"

#include "tensor_checks.hpp"

#include <ptp/error.hpp>

#include <ATen/ATen.h>

#include <array>
#include <cmath>

namespace recurrent {

namespace {

// Returns the number of linear maps of a cell: the gates and the candidate.
int64_t gates_of(CellType type) {
    switch (type) {
        case CellType::kLstm:
            return 4;
        case CellType::kGru:
            return 3;
        case CellType::kRnnTanh:
        case CellType::kRnnRelu:
            break;
    }
    return 1;
}

// Draws as torch.nn.init.xavier_uniform_() does for a tensor of these sizes.
at::Tensor drawn_state(const CellOptions& options) {
    const double fans =
        static_cast<double>(options.hidden_size) * (1.0 + static_cast<double>(options.layers()));
    const double bound = std::sqrt(6.0 / fans);
    return at::empty({options.layers(), 1, options.hidden_size}).uniform_(-bound, bound);
}

// Selects the overload of libtorch, for whole batches or packed ones, by the arguments.
constexpr auto kLstmFunction = [](const auto&... arguments) { return at::lstm(arguments...); };

template <class Function>
Function* function_of(CellType type) {
    if (type == CellType::kGru) {
        return at::gru;
    }
    return type == CellType::kRnnTanh ? static_cast<Function*>(at::rnn_tanh)
                                      : static_cast<Function*>(at::rnn_relu);
}

// Returns cuDNN's number of the type of cells (cudnnRNNMode_t).
int64_t cudnn_mode_of(CellType type) {
    switch (type) {
        case CellType::kRnnRelu:
            return 0;
        case CellType::kRnnTanh:
            return 1;
        case CellType::kLstm:
            return 2;
        case CellType::kGru:
            break;
    }
    return 3;
}

}  // namespace

void check_lengths(const at::Tensor& lengths, const at::Tensor& inputs, const char* name,
                   const char* of) {
    ptp::support::require_sizes(name, lengths, {inputs.size(0)}, "one for each sample");
    const int64_t steps = inputs.size(1);
    if (steps == 0) {
        throw ptp::DataError(name, " must be 1 or more, and ", of,
                             " has no steps: no sentence of the batch has a word");
    }
    ptp::support::require_none(
        ptp::support::are_outside(lengths, 1, steps + 1), name, lengths,
        "be in [1, " + std::to_string(steps) + "], the number of steps that " + of + " has");
}

RecurrentCell::RecurrentCell(torch::nn::Module& owner, const std::string& name,
                             const CellOptions& options)
    : options_(options) {
    owner.register_module(name, module_);
    const int64_t rows = gates_of(options.type) * options.hidden_size;
    const double bound = 1.0 / std::sqrt(static_cast<double>(options.hidden_size));
    const auto add = [&](const std::string& weight, at::IntArrayRef sizes) {
        weights_.push_back(
            module_->register_parameter(weight, at::empty(sizes).uniform_(-bound, bound)));
    };
    const int64_t directions = options.is_bidirectional ? 2 : 1;
    for (int64_t layer = 0; layer < options.num_layers; ++layer) {
        const int64_t width = layer == 0 ? options.input_size : directions * options.hidden_size;
        for (int64_t direction = 0; direction < directions; ++direction) {
            const std::string of =
                "_l" + std::to_string(layer) + (direction == 0 ? "" : "_reverse");
            add("weight_ih" + of, {rows, width});
            add("weight_hh" + of, {rows, options.hidden_size});
            add("bias_ih" + of, {rows});
            add("bias_hh" + of, {rows});
        }
    }
}

// Makes the weights contiguous in memory for cuDNN, which otherwise copies them in each call.
void RecurrentCell::flatten_for_cudnn() const {
    if (!any_weight().is_cuda() ||
        weights_.front().storage().is_alias_of(weights_.back().storage()) ||
        !at::_use_cudnn_rnn_flatten_weight()) {
        return;
    }
    const c10::AutoGradMode without_gradients(false);
    constexpr int64_t kWeightsOfALayer = 4;
    constexpr int64_t kNoProjection = 0;
    at::_cudnn_rnn_flatten_weight(weights_, kWeightsOfALayer, options_.input_size,
                                  cudnn_mode_of(options_.type), options_.hidden_size, kNoProjection,
                                  options_.num_layers, true, options_.is_bidirectional);
}

CellOutputs RecurrentCell::run(const at::Tensor& inputs, const at::Tensor* lengths,
                               const CellState& state) const {
    if (inputs.size(1) == 0) {
        throw ptp::DataError("inputs has the sizes ", inputs.sizes(),
                             ": must have at least one step");
    }
    if (inputs.size(2) != options_.input_size) {
        throw ptp::DataError("inputs has the sizes ", inputs.sizes(),
                             ": its vectors must have the size ", options_.input_size);
    }
    flatten_for_cudnn();
    const auto type = any_weight().scalar_type();  // that of the inputs may be lower
    const at::Tensor values = inputs.to(type);
    CellState start{state.hidden.to(type), {}};
    if (state.memory.defined()) {
        start.memory = state.memory.to(type);
    }
    if (lengths == nullptr) {
        return run_all(values, start);
    }
    check_lengths(*lengths, inputs);
    return run_packed(values, *lengths, start);
}

CellOutputs RecurrentCell::step(const at::Tensor& inputs, const CellState& state) const {
    return run(inputs.unsqueeze(1), nullptr, state);  // [B, I] -> [B, 1, I]
}

CellOutputs RecurrentCell::run_all(const at::Tensor& inputs, const CellState& state) const {
    const auto with = [&](auto function, const auto& start) {
        return function(inputs, start, weights_, true, options_.num_layers, options_.dropout_rate,
                        module_->is_training(), options_.is_bidirectional, true);
    };
    if (options_.type == CellType::kLstm) {
        const std::array both{state.hidden, state.memory};
        auto [activations, hidden, memory] = with(kLstmFunction, at::TensorList(both));
        return {std::move(activations), {std::move(hidden), std::move(memory)}};
    }
    using Function =
        std::tuple<at::Tensor, at::Tensor>(const at::Tensor&, const at::Tensor&, at::TensorList,
                                           bool, int64_t, double, bool, bool, bool);
    auto [activations, hidden] = with(function_of<Function>(options_.type), state.hidden);
    return {std::move(activations), {std::move(hidden), {}}};
}

// Computes only the real steps: at each one, the samples that are long enough.
CellOutputs RecurrentCell::run_packed(const at::Tensor& inputs, const at::Tensor& lengths,
                                      const CellState& state) const {
    const auto [sorted, order] = lengths.to(at::kCPU, at::kLong).sort(true, 0, true);
    const at::Tensor there = order.to(inputs.device());
    const at::Tensor back = order.argsort().to(inputs.device());
    const auto packed = at::_pack_padded_sequence(inputs.index_select(0, there), sorted, true);
    const at::Tensor& sizes = std::get<1>(packed);
    const auto with = [&](auto function, const auto& start) {
        return function(std::get<0>(packed), sizes, start, weights_, true, options_.num_layers,
                        options_.dropout_rate, module_->is_training(), options_.is_bidirectional);
    };
    const auto unpacked = [&](const at::Tensor& activations) {
        return std::get<0>(at::_pad_packed_sequence(activations, sizes, true, 0, inputs.size(1)))
            .index_select(0, back);
    };
    const at::Tensor start = state.hidden.index_select(1, there);
    if (options_.type == CellType::kLstm) {
        const std::array both{start, state.memory.index_select(1, there)};
        const auto [activations, hidden, memory] = with(kLstmFunction, at::TensorList(both));
        return {unpacked(activations),
                {hidden.index_select(1, back), memory.index_select(1, back)}};
    }
    using Function =
        std::tuple<at::Tensor, at::Tensor>(const at::Tensor&, const at::Tensor&, const at::Tensor&,
                                           at::TensorList, bool, int64_t, double, bool, bool);
    const auto [activations, hidden] = with(function_of<Function>(options_.type), start);
    return {unpacked(activations), {hidden.index_select(1, back), {}}};
}

at::Tensor RecurrentCell::last_activation(const CellState& state) const {
    const int64_t layers = options_.layers();
    const at::Tensor last = state.hidden[layers - 1];
    return options_.is_bidirectional ? at::cat({state.hidden[layers - 2], last}, 1) : last;
}

at::Tensor RecurrentCell::stream_of(const CellState& state) const {
    return state.memory.defined()
               ? at::stack({state.hidden, state.memory}).permute({2, 0, 1, 3}).contiguous()
               : state.hidden.transpose(0, 1).contiguous();  // [L, B, H] -> [B, L, H]
}

StartState::StartState(torch::nn::Module& owner, InitialState how, const CellOptions& options)
    : has_memory_(options.type == CellType::kLstm) {
    if (how == InitialState::kInput) {
        return;
    }
    const bool is_trained = how == InitialState::kTrainable;
    const auto add = [&](const char* name) {
        return owner.register_parameter(name,
                                        is_trained
                                            ? drawn_state(options)
                                            : at::zeros({options.layers(), 1, options.hidden_size}),
                                        is_trained);
    };
    hidden_ = add("init_hidden");
    if (has_memory_) {
        memory_ = add("init_memory");
    }
}

CellState StartState::of(int64_t batch_size, const at::Tensor* stream) const {
    if (stream != nullptr) {
        if (!has_memory_) {
            return {stream->transpose(0, 1).contiguous(), {}};  // [B, L, H] -> [L, B, H]
        }
        const at::Tensor both = stream->permute({1, 2, 0, 3}).contiguous();  // -> [2, L, B, H]
        return {both[0], both[1]};
    }
    const auto repeated = [&](const at::Tensor& one) {
        return one.expand({-1, batch_size, -1}).contiguous();  // [L, 1, H] -> [L, B, H]
    };
    return {repeated(hidden_), has_memory_ ? repeated(memory_) : at::Tensor()};
}

}  // namespace recurrent
