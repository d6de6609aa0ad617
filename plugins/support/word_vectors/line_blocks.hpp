// Reads a text file, plain or gzipped, in blocks of whole lines, for parsing on several threads.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace ptp::support {

struct LineBlock {
    std::int64_t number = 0;  // from 0, in the order of the file
    std::string owned;        // the lines, empty if they are in mapped memory
    std::string_view mapped;

    // Valid during the lifetime of the block and of its LineBlocks.
    [[nodiscard]] std::string_view text() const { return owned.empty() ? mapped : owned; }
};

class LineBlocks {
public:
    LineBlocks() = default;
    virtual ~LineBlocks() = default;
    LineBlocks(const LineBlocks&) = delete;
    LineBlocks& operator=(const LineBlocks&) = delete;

    // Returns whole lines with their ends, which the last one of the file need not have; nullopt
    // after that one. Throws DataError if the file cannot be read. One thread at a time.
    virtual std::optional<LineBlock> next() = 0;
};

// The size of a block in bytes, without its last line, which may be longer.
inline constexpr std::size_t kLineBlockBytes = std::size_t{4} << 20U;

// Returns the blocks of a file mapped into memory, without copies.
std::unique_ptr<LineBlocks> mapped_blocks(const std::filesystem::path& file);

// Returns the blocks of a gzip file, which may have several members.
std::unique_ptr<LineBlocks> gzip_blocks(const std::filesystem::path& file);

// Returns the suitable blocks: gzip is detected by its first two bytes, regardless of the name.
// Throws DataError if the file does not exist.
std::unique_ptr<LineBlocks> line_blocks(const std::filesystem::path& file);

}  // namespace ptp::support
