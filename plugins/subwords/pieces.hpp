// Pieces of words with their indices: conversions of sentences to pieces and back.
#pragma once

#include <ptp/data.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace subwords {

// May be used by several threads at once.
class Pieces {
public:
    virtual ~Pieces() = default;

    [[nodiscard]] virtual std::vector<std::string> pieces(std::string_view sentence) const = 0;
    // Returns the sentence of the pieces; control pieces, such as <s>, add nothing to it.
    [[nodiscard]] virtual std::string sentence(
        const std::vector<std::string_view>& pieces) const = 0;

    // Returns the index of the piece, or of the one for unknown pieces if there is no such piece.
    [[nodiscard]] virtual std::int64_t index_of(std::string_view piece) const = 0;
    // REQUIRES: 0 <= index < size().
    [[nodiscard]] virtual const std::string& piece(std::int64_t index) const = 0;
    [[nodiscard]] virtual std::int64_t size() const = 0;

    // Return the pieces that begin, end and pad a sentence, unless there are none.
    [[nodiscard]] virtual std::optional<std::int64_t> begin() const = 0;
    [[nodiscard]] virtual std::optional<std::int64_t> end() const = 0;
    [[nodiscard]] virtual std::optional<std::int64_t> padding() const = 0;

    // Returns a hash of the files, which distinguishes vocabularies of the same size.
    [[nodiscard]] virtual std::int64_t digest() const = 0;

    // Returns a table from pieces to their indices.
    [[nodiscard]] ptp::Data mappings() const;
};

// Throws DataError for a file that cannot be read.
std::string read_whole_file(const std::filesystem::path& path);

// Returns FNV-1a of the bytes.
std::int64_t fnv1a(std::string_view bytes);

}  // namespace subwords
