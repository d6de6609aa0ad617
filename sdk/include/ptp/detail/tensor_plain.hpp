// Tensors cross the boundary of a plugin without libtorch as memory, through the host.
#pragma once

#include <ptp/detail/host.hpp>
#include <ptp/tensor.hpp>

#include <cstring>

namespace ptp::detail {

using InputTensor = TensorView;
using OutputTensor = TensorData;

class TensorReader {
public:
    TensorReader(const ptp_host& host, const ptp_value* value, const char* port)
        : view_(read(host, value, port)) {}
    const TensorView& get() const& { return view_; }
    TensorView get() && { return view_; }

private:
    static TensorView read(const ptp_host& host, const ptp_value* value, const char* port) {
        ptp_tensor_view view{};
        checked(host.tensor_view(host.context, value, &view));
        return TensorView(view, port);
    }

    TensorView view_;
};

inline bool is_defined(const TensorData& tensor) {
    return tensor.is_defined();
}

inline void write_tensor(const ptp_host& host, ptp_value* slot, TensorData&& tensor) {
    ptp_tensor_view memory{};
    checked(host.tensor_allocate(host.context, slot, tensor.type().code, tensor.type().bits,
                                 static_cast<std::int32_t>(tensor.shape().size()),
                                 tensor.shape().data(), &memory));
    if (!tensor.bytes().empty()) {
        std::memcpy(static_cast<char*>(memory.data) + memory.byte_offset, tensor.bytes().data(),
                    tensor.bytes().size());
    }
}

template <class T>
TensorData stack_numbers(const std::vector<T>& numbers) {
    TensorData result = TensorData::zeros<T>({static_cast<std::int64_t>(numbers.size())});
    std::copy(numbers.begin(), numbers.end(), result.elements<T>().begin());
    return result;
}

inline TensorData stack_tensors(const std::vector<TensorData>& tensors) {
    std::vector<std::int64_t> shape(tensors.at(0).shape().begin(), tensors.at(0).shape().end());
    shape.insert(shape.begin(), static_cast<std::int64_t>(tensors.size()));
    return TensorData::concatenate(tensors, std::move(shape));
}

}  // namespace ptp::detail
