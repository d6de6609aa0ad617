#include "engine/component/text_buffer.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

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

void TextBuffer::clear() {
    static_cast<ptp_text&>(*this) = ptp_text{};
    is_written_ = false;
}

}  // namespace ptp::engine
