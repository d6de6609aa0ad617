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

    // Takes over a copy. Throws std::invalid_argument, changing nothing, when the offsets or rows
    // do not begin with 0 or fall.
    void assign(const ptp_text& text);

    // As before the first assign(): nothing written.
    void clear();

    [[nodiscard]] bool is_written() const { return is_written_; }

private:
    // Heap memory only, so that moving a buffer leaves the pointers of the base true.
    std::vector<char> bytes_store_;
    std::vector<std::uint64_t> offsets_store_;
    std::vector<std::uint64_t> rows_store_;
    bool is_written_ = false;
};

}  // namespace ptp::engine
