// A SentencePiece model: its pieces, and conversions of sentences to pieces and back.
#pragma once

#include <ptp/data.hpp>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sentencepiece {
class SentencePieceProcessor;
}

namespace subwords {

// May be used by several threads at once.
class PieceModel {
public:
    // Throws DataError for a file that is not a model.
    explicit PieceModel(const std::filesystem::path& file);
    ~PieceModel();
    PieceModel(const PieceModel&) = delete;
    PieceModel& operator=(const PieceModel&) = delete;

    [[nodiscard]] std::vector<std::string> pieces(std::string_view sentence) const;
    // Returns the sentence of the pieces; control pieces, such as <s>, add nothing to it.
    [[nodiscard]] std::string sentence(const std::vector<std::string_view>& pieces) const;

    // Returns the index of the piece, or of the model's <unk> if the model does not have the piece.
    [[nodiscard]] std::int64_t index_of(std::string_view piece) const;
    // REQUIRES: 0 <= index < size().
    [[nodiscard]] const std::string& piece(std::int64_t index) const;
    [[nodiscard]] std::int64_t size() const;

    // Return the pieces that begin, end and pad a sentence, unless the model was trained without.
    [[nodiscard]] std::optional<std::int64_t> begin() const;
    [[nodiscard]] std::optional<std::int64_t> end() const;
    [[nodiscard]] std::optional<std::int64_t> padding() const;

    // Returns a table from pieces to their indices.
    [[nodiscard]] ptp::Data mappings() const;
    // Returns FNV-1a of the file, which distinguishes models of the same size.
    [[nodiscard]] std::int64_t digest() const { return digest_; }

private:
    std::unique_ptr<sentencepiece::SentencePieceProcessor> model_;
    std::int64_t digest_ = 0;
};

}  // namespace subwords
