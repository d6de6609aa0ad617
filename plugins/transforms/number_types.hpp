// The ports of transforms of floating numbers, integers or booleans, and the selection of the
// existing one.
#pragma once

#include <ptp/component.hpp>

#include <ATen/core/Tensor.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <tuple>
#include <utility>

namespace transforms {

enum class InputType { kFloat, kInteger, kBool };

template <class Config>
constexpr auto input_type_setting() {
    return ptp::setting("input_type", &Config::input_type,
                        {.help = "What the inputs carry", .choices = "float|integer|bool"});
}

// Returns the tensor of the only existing port of several. REQUIRES: one is not null.
inline const at::Tensor& existing(std::initializer_list<const at::Tensor*> inputs) {
    return **std::ranges::find_if(inputs, [](const at::Tensor* one) { return one != nullptr; });
}

// Returns the values of `count` optional output ports: `output` at the index `number`, and
// undefined tensors.
template <std::size_t count>
auto only(std::size_t number, const at::Tensor& output) {
    std::array<at::Tensor, count> outputs;
    outputs[number] = output;
    return std::tuple_cat(std::move(outputs));
}

// Returns the outputs of a port for each type, in the order of InputType.
inline auto of_type(InputType type, const at::Tensor& output) {
    return only<3>(static_cast<std::size_t>(type), output);
}

}  // namespace transforms
