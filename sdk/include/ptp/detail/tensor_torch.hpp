// Tensors cross the boundary of a plugin built with libtorch as at::Tensor, history and all.
#pragma once

#include <ptp/detail/host.hpp>

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/stack.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace ptp::detail {

using InputTensor = at::Tensor;
using OutputTensor = at::Tensor;

class TensorReader {
public:
    TensorReader(const ptp_host&, const ptp_value* value, const char*)
        : tensor_(reinterpret_cast<const at::Tensor*>(value)) {}
    const at::Tensor& get() const { return *tensor_; }

private:
    const at::Tensor* tensor_;
};

inline bool is_defined(const at::Tensor& tensor) {
    return tensor.defined();
}

inline void write_tensor(const ptp_host&, ptp_value* slot, at::Tensor&& tensor) {
    *reinterpret_cast<at::Tensor*>(slot) = std::move(tensor);
}

template <class T>
at::Tensor stack_numbers(const std::vector<T>& numbers) {
    at::Tensor result = at::empty({static_cast<std::int64_t>(numbers.size())},
                                  at::TensorOptions().dtype(c10::CppTypeToScalarType<T>::value));
    std::copy(numbers.begin(), numbers.end(), result.data_ptr<T>());
    return result;
}

inline at::Tensor stack_tensors(const std::vector<at::Tensor>& tensors) {
    return at::stack(tensors);
}

}  // namespace ptp::detail
