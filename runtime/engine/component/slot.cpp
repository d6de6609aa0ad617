#include "engine/component/slot.hpp"

namespace ptp::engine {

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

bool is_tensor(ptp_element element) {
    return element == PTP_FLOAT || element == PTP_INTEGER || element == PTP_BOOL ||
           element == PTP_BYTE;
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
