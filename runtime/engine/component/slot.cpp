// The memory of texts and lists of tensors, which is kept from step to step.

#include "engine/component/slot.hpp"

#include "base/text.hpp"

#include <ATen/ops/full.h>
#include <c10/core/ScalarType.h>
#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace ptp::engine {

namespace {

void require_rising(const std::uint64_t* numbers, std::uint64_t count, const std::string& name) {
    if (numbers == nullptr) {
        throw std::invalid_argument("text: " + name + " is NULL");
    }
    if (numbers[0] != 0) {
        throw std::invalid_argument("text: " + name + " must begin with 0");
    }
    if (!std::is_sorted(numbers, numbers + count + 1)) {
        throw std::invalid_argument("text: " + name + " must not fall");
    }
}

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

void TextBuffer::assign(const ptp_text& text) {
    require_rising(text.offsets, text.string_count, "offsets");
    const std::uint64_t size = text.offsets[text.string_count];
    if (size > 0 && text.bytes == nullptr) {
        throw std::invalid_argument("text: bytes is NULL");
    }
    if (text.rows != nullptr) {
        require_rising(text.rows, text.row_count, "rows");
        if (text.rows[text.row_count] != text.string_count) {
            throw std::invalid_argument("text: the last of rows must be the number of strings");
        }
        rows_store_.assign(text.rows, text.rows + text.row_count + 1);
    } else {
        rows_store_.clear();
    }
    bytes_store_.assign(text.bytes, text.bytes + size);
    offsets_store_.assign(text.offsets, text.offsets + text.string_count + 1);

    bytes = bytes_store_.data();
    offsets = offsets_store_.data();
    string_count = text.string_count;
    rows = text.rows != nullptr ? rows_store_.data() : nullptr;
    row_count = text.rows != nullptr ? text.row_count : 0;
    is_written_ = true;
}

void TextBuffer::assign_part(const TextBuffer& whole, std::uint64_t first, std::uint64_t count) {
    const bool has_rows = whole.rows != nullptr;
    const std::uint64_t begin = has_rows ? whole.rows[first] : first;
    const std::uint64_t end = has_rows ? whole.rows[first + count] : first + count;
    const std::vector<char> part_bytes(whole.bytes + whole.offsets[begin],
                                       whole.bytes + whole.offsets[end]);
    std::vector<std::uint64_t> part_offsets;
    for (std::uint64_t i = begin; i <= end; ++i) {
        part_offsets.push_back(whole.offsets[i] - whole.offsets[begin]);
    }
    std::vector<std::uint64_t> part_rows;
    for (std::uint64_t i = first; has_rows && i <= first + count; ++i) {
        part_rows.push_back(whole.rows[i] - begin);
    }
    assign({part_bytes.data(), part_offsets.data(), end - begin,
            has_rows ? part_rows.data() : nullptr, has_rows ? count : 0});
}

void TextBuffer::clear() {
    static_cast<ptp_text&>(*this) = ptp_text{};
    is_written_ = false;
}

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

const TextBuffer& as_text(const ptp_value* value) {
    return *static_cast<const TextBuffer*>(reinterpret_cast<const ptp_text*>(value));
}

const TensorList& as_list(const ptp_value* value) {
    return *static_cast<const TensorList*>(reinterpret_cast<const ptp_tensor_list*>(value));
}

std::string type_and_sizes(const at::Tensor& tensor) {
    return fmt::format("{} [{}]", c10::toString(tensor.scalar_type()), join(tensor.sizes(), ", "));
}

void copy_value(const ptp_value* from, ptp_value* to, ptp_element element) {
    if (is_tensor(element)) {
        as_tensor(to) = as_tensor(from);
    } else if (element == PTP_TENSOR_LIST) {
        as_list(to).resize(as_list(from).tensors().size());
        as_list(to).tensors() = as_list(from).tensors();
    } else {
        as_text(to).assign(as_text(from));
    }
}

}  // namespace ptp::engine
