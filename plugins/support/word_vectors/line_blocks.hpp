// A text file as blocks of whole lines.
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
    std::string owned;        // the lines, or nothing where they are in mapped memory
    std::string_view mapped;

    // Valid as long as the block, and as the LineBlocks it comes from.
    [[nodiscard]] std::string_view text() const { return owned.empty() ? mapped : owned; }
};

class LineBlocks {
public:
    LineBlocks() = default;
    virtual ~LineBlocks() = default;
    LineBlocks(const LineBlocks&) = delete;
    LineBlocks& operator=(const LineBlocks&) = delete;

    // Whole lines with their ends, which the last one of the file need not have; nothing after that
    // one. Throws DataError if the file cannot be read. One thread at a time.
    virtual std::optional<LineBlock> next() = 0;
};

// Bytes of a block, but for its last line, which may be longer.
inline constexpr std::size_t kLineBlockBytes = std::size_t{4} << 20U;

// Of a file in memory: nothing is copied.
std::unique_ptr<LineBlocks> mapped_blocks(const std::filesystem::path& file);

// Of a gzip file, which may have several members.
std::unique_ptr<LineBlocks> gzip_blocks(const std::filesystem::path& file);

// The one that fits: gzip is known by its first two bytes, whatever the name is. Throws DataError
// for a file that is not there.
std::unique_ptr<LineBlocks> line_blocks(const std::filesystem::path& file);

}  // namespace ptp::support
