// Files with a vector for each word: those of GloVe (.txt) and fastText (.vec), plain or gzipped.
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

// A text in UTF-8 with a word and its values, separated by spaces, in each line; maybe after a
// header with the number of words and that of values.
class WordVectorFile {
public:
    // The index of a word whose vector is wanted. [any]
    using IndexOf = std::function<std::optional<std::int64_t>(std::string_view word)>;
    // Takes the vector of a wanted word: the first one where a word is there several times.
    using Store = std::function<void(std::int64_t index, std::span<const float> values)>;

    struct Counts {
        std::int64_t words = 0;       // of the file
        std::int64_t found = 0;       // whose vectors are stored
        std::int64_t duplicates = 0;  // lines of wanted words that are there already
    };

    // Opens the file and looks at its first line. Throws DataError.
    explicit WordVectorFile(const std::filesystem::path& file);
    ~WordVectorFile();
    WordVectorFile(const WordVectorFile&) = delete;
    WordVectorFile& operator=(const WordVectorFile&) = delete;

    // Values of each vector.
    [[nodiscard]] std::int64_t size() const { return format_.size; }

    // Reads and checks all lines with the threads of the machine, and then calls `store` in the
    // order of the file. Once. Throws DataError for the first line that is wrong, with its number,
    // and for a file that has fewer or more words than its header says.
    Counts read(const IndexOf& index_of, const Store& store);

private:
    std::filesystem::path file_;
    std::unique_ptr<LineBlocks> blocks_;
    std::unique_ptr<struct LineBlock> first_;  // what was read to look at the first line
    VectorFormat format_;
};

}  // namespace ptp::support
