// Runs the layers one after the other, with the masks of padding and of later positions.

#include "transformer_stack.hpp"

#include "recurrent_cell.hpp"

#include <ATen/ATen.h>

#include <cstddef>
#include <string>

namespace transformer {

namespace {

// The memory, with zeros for padding, and the mask that excludes it.
struct RealMemory {
    at::Tensor values;
    at::Tensor is_out;  // [B, 1, 1, S]; undefined: nowhere
};

RealMemory real(const Memory& memory) {
    if (memory.lengths == nullptr) {
        return {memory.values, {}};
    }
    recurrent::check_lengths(*memory.lengths, memory.values, "memory_lengths", "memory");
    const at::Tensor is_padding = padding(*memory.lengths, memory.values.size(1));
    return {memory.values.masked_fill(is_padding.unsqueeze(2), 0),
            is_padding.unsqueeze(1).unsqueeze(1)};
}

}  // namespace

Stack::Stack(torch::nn::Module& owner, const StackConfig& config, int64_t size, bool has_memory)
    : config_(config) {
    if (size % config.num_heads != 0) {
        throw ptp::SettingError("num_heads", "must be a divisor of the size of the inputs, ", size);
    }
    const auto layers = std::make_shared<torch::nn::Module>();
    for (int64_t i = 0; i < config.num_layers; ++i) {
        layers_.emplace_back(*layers, std::to_string(i),
                             LayerOptions{.size = size,
                                          .num_heads = config.num_heads,
                                          .feedforward_size = config.feedforward_size,
                                          .dropout_rate = config.dropout_rate,
                                          .activation = config.activation,
                                          .is_norm_first = config.norm_first,
                                          .has_memory = has_memory});
    }
    owner.register_module("layers", layers);
    if (config.norm_first) {
        norm_ = owner.register_module("norm",
                                      torch::nn::LayerNorm(torch::nn::LayerNormOptions({size})));
    }
}

std::tuple<at::Tensor, at::Tensor> Stack::forward(const at::Tensor& inputs,
                                                  const at::Tensor* lengths, const Memory* memory,
                                                  bool is_training) {
    if (lengths != nullptr) {
        recurrent::check_lengths(*lengths, inputs);
    }
    const RealMemory known = memory != nullptr ? real(*memory) : RealMemory{};
    const int64_t steps = inputs.size(1);
    at::Tensor values = inputs;
    if (config_.add_positions) {
        values = at::dropout(inputs + positions(inputs), config_.dropout_rate, is_training);
    }
    at::Tensor is_out;  // true where attention is excluded: [B, 1, 1, S], [S, S] or both
    if (config_.is_causal) {
        is_out = later(steps, inputs.device());
    }
    at::Tensor is_padding;  // [B, S]
    if (lengths != nullptr) {
        is_padding = padding(*lengths, steps);
        const at::Tensor keys = is_padding.unsqueeze(1).unsqueeze(1);
        is_out = is_out.defined() ? is_out.logical_or(keys) : keys;
        values = values.masked_fill(is_padding.unsqueeze(2), 0);
    }
    std::vector<at::Tensor> maps(layers_.size());
    for (std::size_t i = 0; i < layers_.size(); ++i) {  // [B, S, E] -> [B, S, E]
        at::Tensor* map = config_.output_attention_maps ? &maps[i] : nullptr;
        values = memory != nullptr
                     ? layers_[i].forward(values, is_out, known.values, known.is_out, map)
                     : layers_[i].forward(values, is_out, map);
    }
    if (config_.norm_first) {
        values = norm_->forward(values);
    }
    if (is_padding.defined()) {
        values = values.masked_fill(is_padding.unsqueeze(2), 0);
    }
    return {values, config_.output_attention_maps ? at::stack(maps, 1) : at::Tensor()};
}

}  // namespace transformer
