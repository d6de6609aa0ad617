// A batch of strings or of token lists, as a slot holds it. The memory is kept from step to step.

#pragma once

#include <ptp/abi.h>

#include <cstdint>
#include <vector>

namespace ptp::engine {

// The base is what components read; it always points into the buffers.
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

}  // namespace ptp::engine
