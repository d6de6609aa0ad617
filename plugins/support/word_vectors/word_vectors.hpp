// Reads files with a vector for each word: those of GloVe (.txt) and fastText (.vec), plain or
// gzipped.
#pragma once

#include "vector_lines.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

namespace ptp::support {

class LineBlocks;

// A text in UTF-8 with a word and its values, separated by spaces, in each line; optionally after a
// header with the number of words and that of values.
class WordVectorFile {
public:
    // Returns the index of a word if its vector is wanted. [any]
    using IndexOf = std::function<std::optional<std::int64_t>(std::string_view word)>;
    // Receives the vector of a wanted word: the first one of a repeated word.
    using Store = std::function<void(std::int64_t index, std::span<const float> values)>;

    struct Counts {
        std::int64_t words = 0;       // in the file
        std::int64_t found = 0;       // words whose vectors are stored
        std::int64_t duplicates = 0;  // further lines of wanted words
    };

    // Opens the file and reads its first line. Throws DataError.
    explicit WordVectorFile(const std::filesystem::path& file);
    ~WordVectorFile();
    WordVectorFile(const WordVectorFile&) = delete;
    WordVectorFile& operator=(const WordVectorFile&) = delete;

    // Returns the number of values of each vector.
    [[nodiscard]] std::int64_t size() const { return format_.size; }

    // Reads and checks all lines with the threads of the machine, and then calls `store` in the
    // order of the file. Call it once. Throws DataError for the first wrong line, with its number,
    // and for a file whose number of words differs from its header.
    Counts read(const IndexOf& index_of, const Store& store);

private:
    std::filesystem::path file_;
    std::unique_ptr<LineBlocks> blocks_;
    std::unique_ptr<struct LineBlock> first_;  // the block that was read for the first line
    VectorFormat format_;
};

}  // namespace ptp::support
