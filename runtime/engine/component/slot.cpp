#include "engine/component/slot.hpp"

#include <ATen/ops/full.h>

#include <limits>

namespace ptp::engine {

namespace {

// Returns a tensor of the same type and sizes with the same value in all elements: NaN if the type
// has it, so that reading it by mistake is noticed.
at::Tensor without_content(const at::Tensor& tensor) {
    const double element =
        tensor.is_floating_point() ? std::numeric_limits<double>::quiet_NaN() : 0.0;
    return at::full({}, element, tensor.options()).expand(tensor.sizes());
}

bool is_worth_dropping(const at::Tensor& tensor) {
    constexpr std::size_t kFewBytes = std::size_t{1} << 16;
    return tensor.defined() && tensor.layout() == at::kStrided && tensor.nbytes() > kFewBytes;
}

}  // namespace

void TensorList::resize(std::uint64_t new_count) {
    tensors_.clear();
    tensors_.resize(new_count);
    pointers_.resize(new_count);
    for (std::uint64_t i = 0; i < new_count; ++i) {
        pointers_[i] = reinterpret_cast<ptp_value*>(&tensors_[i]);
    }
    items = pointers_.data();
    count = new_count;
    is_written_ = true;
}

void TensorList::clear() {
    tensors_.clear();
    pointers_.clear();
    items = nullptr;
    count = 0;
    is_written_ = false;
}

ptp_value* Slot::value() {
    switch (element) {
        case PTP_STRING:
        case PTP_TOKENS:
            return reinterpret_cast<ptp_value*>(static_cast<ptp_text*>(&text));
        case PTP_TENSOR_LIST:
            return reinterpret_cast<ptp_value*>(static_cast<ptp_tensor_list*>(&list));
        default:
            return reinterpret_cast<ptp_value*>(&tensor);
    }
}

void Slot::clear() {
    ahead.clear();
    is_dropped = false;
    switch (element) {
        case PTP_STRING:
        case PTP_TOKENS:
            text.clear();
            break;
        case PTP_TENSOR_LIST:
            list.clear();
            break;
        default:
            tensor.reset();
    }
}

void Slot::drop() {
    const auto drop_large = [this](at::Tensor& large) {
        if (is_worth_dropping(large)) {
            large = without_content(large);
            is_dropped = true;
        }
    };
    drop_large(tensor);
    for (at::Tensor& large : list.tensors()) {
        drop_large(large);
    }
}

at::Tensor& as_tensor(ptp_value* value) {
    return *reinterpret_cast<at::Tensor*>(value);
}

const at::Tensor& as_tensor(const ptp_value* value) {
    return *reinterpret_cast<const at::Tensor*>(value);
}

TextBuffer& as_text(ptp_value* value) {
    return *static_cast<TextBuffer*>(reinterpret_cast<ptp_text*>(value));
}

TensorList& as_list(ptp_value* value) {
    return *static_cast<TensorList*>(reinterpret_cast<ptp_tensor_list*>(value));
}

}  // namespace ptp::engine
