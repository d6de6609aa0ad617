// The place of one stream's value. Slots are reused step after step, with the memory they hold.

#pragma once

#include "engine/component/text_buffer.hpp"

#include <ptp/abi.h>

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace ptp::engine {

// Tensors of their own sizes; the base is what components read and fill.
class TensorList : public ptp_tensor_list {
public:
    TensorList() : ptp_tensor_list{} {}
    ~TensorList() = default;
    TensorList(const TensorList&) = delete;
    TensorList& operator=(const TensorList&) = delete;
    TensorList(TensorList&&) = default;
    TensorList& operator=(TensorList&&) = default;

    // That number of undefined tensors.
    void resize(std::uint64_t new_count);

    // As before the first resize().
    void clear();

    [[nodiscard]] bool is_written() const { return is_written_; }
    [[nodiscard]] std::vector<at::Tensor>& tensors() { return tensors_; }
    [[nodiscard]] const std::vector<at::Tensor>& tensors() const { return tensors_; }

private:
    std::vector<at::Tensor> tensors_;
    std::vector<ptp_value*> pointers_;
    bool is_written_ = false;
};

// Only the member that belongs to `element` is used. An address given out by value() stays valid as
// long as the slot; contents may be exchanged with std::swap.
struct Slot {
    ptp_element element = PTP_FLOAT;
    at::Tensor tensor;
    TextBuffer text;
    TensorList list;
    // The tensor, or those of the list, on the run's device, where copy_ahead.hpp has copied them.
    std::vector<at::Tensor> ahead;
    // Tensors have types and sizes here, but no content: no component reads it.
    bool is_dropped = false;

    // What a component gets to see, as ptp_value in ptp/abi.h describes it.
    [[nodiscard]] ptp_value* value();

    // Forgets the content; text keeps its memory.
    void clear();

    // Frees the memory of large tensors, which keep their types and sizes.
    void drop();
};

[[nodiscard]] inline bool is_tensor(ptp_element element) {
    return element == PTP_FLOAT || element == PTP_INTEGER || element == PTP_BOOL ||
           element == PTP_BYTE;
}

// From what a component got back to what it is. REQUIRES: the value is of that element.
[[nodiscard]] at::Tensor& as_tensor(ptp_value* value);
[[nodiscard]] const at::Tensor& as_tensor(const ptp_value* value);
[[nodiscard]] TextBuffer& as_text(ptp_value* value);
[[nodiscard]] TensorList& as_list(ptp_value* value);

}  // namespace ptp::engine
