// The place of one stream's value. Slots, and their memory, are reused in each step.

#pragma once

#include <ptp/abi.h>

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::engine {

// A batch of strings or of token lists. The base is what components read; it always points into the
// buffers, whose memory is kept from step to step.
class TextBuffer : public ptp_text {
public:
    TextBuffer() : ptp_text{} {}
    ~TextBuffer() = default;
    TextBuffer(const TextBuffer&) = delete;
    TextBuffer& operator=(const TextBuffer&) = delete;
    TextBuffer(TextBuffer&&) = default;
    TextBuffer& operator=(TextBuffer&&) = default;

    // Copies the text. Throws std::invalid_argument, changing nothing, if the offsets or rows do
    // not begin with 0 or decrease.
    void assign(const ptp_text& text);

    // Copies these samples of a text, which may be this one.
    void assign_part(const TextBuffer& whole, std::uint64_t first, std::uint64_t count);

    // Returns the string with this number; token lists have theirs one after the other.
    [[nodiscard]] std::string_view string(std::uint64_t number) const {
        return {bytes + offsets[number], offsets[number + 1] - offsets[number]};
    }

    // Restores the state before the first assign().
    void clear();

    [[nodiscard]] bool is_written() const { return is_written_; }

private:
    // Heap memory only, so that the base's pointers stay valid when a buffer is moved.
    std::vector<char> bytes_store_;
    std::vector<std::uint64_t> offsets_store_;
    std::vector<std::uint64_t> rows_store_;
    bool is_written_ = false;
};

// Tensors of different sizes; components read and fill the base.
class TensorList : public ptp_tensor_list {
public:
    TensorList() : ptp_tensor_list{} {}
    ~TensorList() = default;
    TensorList(const TensorList&) = delete;
    TensorList& operator=(const TensorList&) = delete;
    TensorList(TensorList&&) = default;
    TensorList& operator=(TensorList&&) = default;

    // Resizes to N undefined tensors.
    void resize(std::uint64_t new_count);

    // Restores the state before the first resize().
    void clear();

    [[nodiscard]] bool is_written() const { return is_written_; }
    [[nodiscard]] std::vector<at::Tensor>& tensors() { return tensors_; }
    [[nodiscard]] const std::vector<at::Tensor>& tensors() const { return tensors_; }

private:
    std::vector<at::Tensor> tensors_;
    std::vector<ptp_value*> pointers_;
    bool is_written_ = false;
};

// The value; only the member for `element` is used. The address that value() returns stays valid as
// long as the slot; contents may be exchanged with std::swap.
struct Slot {
    ptp_element element = PTP_FLOAT;
    at::Tensor tensor;
    TextBuffer text;
    TensorList list;
    // The tensor, or those of the list, on the run's device, if copied there by copy_ahead.hpp.
    std::vector<at::Tensor> ahead;
    // Tensors have types and sizes, but no content: no component reads it.
    bool is_dropped = false;

    // Returns the slot's value for a component, as ptp_value in ptp/abi.h describes it.
    [[nodiscard]] ptp_value* value();

    // Clears the content; text keeps its memory.
    void clear();

    // Frees the memory of large tensors, which keep their types and sizes.
    void drop();
};

[[nodiscard]] inline bool is_tensor(ptp_element element) {
    return element == PTP_FLOAT || element == PTP_INTEGER || element == PTP_BOOL ||
           element == PTP_BYTE;
}

// Converts a component's value, which must be of that element, back to its tensor.
[[nodiscard]] at::Tensor& as_tensor(ptp_value* value);
[[nodiscard]] const at::Tensor& as_tensor(const ptp_value* value);
[[nodiscard]] TextBuffer& as_text(ptp_value* value);
[[nodiscard]] TensorList& as_list(ptp_value* value);
[[nodiscard]] const TextBuffer& as_text(const ptp_value* value);
[[nodiscard]] const TensorList& as_list(const ptp_value* value);

// Returns "Float [64, 1, 28, 28]" for a tensor that is defined.
[[nodiscard]] std::string type_and_sizes(const at::Tensor& tensor);

// Writes a value of this element into another one, whose tensors are then the same.
void copy_value(const ptp_value* from, ptp_value* to, ptp_element element);

}  // namespace ptp::engine
