// Converts between libtorch's tensors and the host's views of memory, type by type.

#include "memory.hpp"

#include <ptp/error.hpp>

#include <ATen/Parallel.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/from_blob.h>

#include <dlfcn.h>

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace ptp::python {

namespace {

struct NumberType {
    at::ScalarType type;
    std::uint8_t code;
    std::uint8_t bits;
};

constexpr std::array kNumberTypes{NumberType{at::kFloat, 2, 32}, NumberType{at::kDouble, 2, 64},
                                  NumberType{at::kHalf, 2, 16},  NumberType{at::kLong, 0, 64},
                                  NumberType{at::kInt, 0, 32},   NumberType{at::kShort, 0, 16},
                                  NumberType{at::kChar, 0, 8},   NumberType{at::kByte, 1, 8},
                                  NumberType{at::kBool, 6, 8},   NumberType{at::kBFloat16, 4, 16}};

constexpr std::int32_t kCpu = 1;
constexpr std::int32_t kCuda = 2;

at::ScalarType type_of(const ptp_tensor_view& view) {
    for (const NumberType& known : kNumberTypes) {
        if (known.code == view.type_code && known.bits == view.type_bits && view.type_lanes == 1) {
            return known.type;
        }
    }
    throw DataError("a tensor from Python has numbers of a type that libtorch does not have: code ",
                    int{view.type_code}, ", ", int{view.type_bits}, " bits, ", view.type_lanes,
                    " lanes");
}

std::vector<std::int64_t> strides_of(const ptp_tensor_view& view) {
    const auto rank = static_cast<std::size_t>(view.rank);
    std::vector<std::int64_t> strides(rank);
    std::int64_t next = 1;
    for (std::size_t i = rank; i-- > 0;) {
        strides[i] = view.strides == nullptr ? next : view.strides[i];
        if (strides[i] < 0) {
            throw DataError(
                "a tensor from Python has negative strides, which libtorch does not have; return a "
                "copy: numpy.ascontiguousarray(x)");
        }
        next *= view.shape[i];
    }
    return strides;
}

at::Device device_of(const ptp_tensor_view& view) {
    if (view.device_type == kCpu) {
        return {at::kCPU};
    }
    if (view.device_type == kCuda) {
        return {at::kCUDA, static_cast<at::DeviceIndex>(view.device_id)};
    }
    throw DataError("a tensor from Python is on a device that is neither the CPU nor CUDA");
}

at::Tensor tensor_of(const Memory& memory) {
    const ptp_tensor_view& view = memory.view;
    const auto options = at::TensorOptions().dtype(type_of(view)).device(device_of(view));
    return at::from_blob(
        static_cast<char*>(view.data) + view.byte_offset,
        at::IntArrayRef(view.shape, static_cast<std::size_t>(view.rank)), strides_of(view),
        [owner = memory.owner](void*) mutable { owner.reset(); }, options);
}

// Converts reals to float32, and integers to int64, the types of models and losses. Other libraries
// have other defaults, such as numpy's float64.
at::Tensor with_usual_numbers(const at::Tensor& tensor) {
    const at::ScalarType type = tensor.scalar_type();
    if (at::isFloatingType(type)) {
        return tensor.to(at::kFloat);
    }
    const bool is_signed_integer = type == at::kInt || type == at::kShort || type == at::kChar;
    return is_signed_integer ? tensor.to(at::kLong) : tensor;
}

Memory memory_of_tensor(at::Tensor kept) {
    const auto tensor = std::make_shared<at::Tensor>(std::move(kept));
    if (tensor->layout() != at::kStrided) {
        throw DataError("a sparse tensor cannot be passed to Python");
    }
    Memory memory;
    memory.view = {
        .data = tensor->data_ptr(),
        .device_type = tensor->is_cuda() ? kCuda : kCpu,
        .device_id = static_cast<std::int32_t>(tensor->is_cuda() ? tensor->get_device() : 0),
        .rank = static_cast<std::int32_t>(tensor->dim()),
        .type_code = 0,
        .type_bits = 0,
        .type_lanes = 1,
        .shape = const_cast<std::int64_t*>(tensor->sizes().data()),      // NOLINT
        .strides = const_cast<std::int64_t*>(tensor->strides().data()),  // NOLINT
        .byte_offset = 0};
    for (const NumberType& known : kNumberTypes) {
        if (known.type == tensor->scalar_type()) {
            memory.view.type_code = known.code;
            memory.view.type_bits = known.bits;
        }
    }
    if (memory.view.type_bits == 0) {
        throw DataError("a tensor of ", at::toString(tensor->scalar_type()),
                        " cannot be passed to Python");
    }
    memory.owner = tensor;
    return memory;
}

}  // namespace

Memory memory_of(const ptp_value& value) {
    return memory_of_tensor(reinterpret_cast<const at::Tensor&>(value).detach());
}

Memory copy_of_memory(const Memory& memory) {
    return memory_of_tensor(tensor_of(memory).clone());
}

void set_tensor(ptp_value& output, const Memory& memory, const std::string& device) {
    at::Tensor tensor = with_usual_numbers(tensor_of(memory));
    if (!device.empty()) {
        tensor = tensor.to(at::Device(device));
    }
    reinterpret_cast<at::Tensor&>(output) = std::move(tensor);
}

std::string libtorch_file() {
    Dl_info found{};
    const bool is_found = dladdr(reinterpret_cast<void*>(&at::set_num_threads), &found) != 0;
    return is_found ? found.dli_fname : "";
}

}  // namespace ptp::python
