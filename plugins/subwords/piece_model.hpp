// A SentencePiece model: its pieces, and conversions of sentences to pieces and back.
#pragma once

#include "pieces.hpp"

#include <memory>

namespace sentencepiece {
class SentencePieceProcessor;
}

namespace subwords {

class PieceModel : public Pieces {
public:
    // Throws DataError for a file that is not a model.
    explicit PieceModel(const std::filesystem::path& file);
    ~PieceModel() override;
    PieceModel(const PieceModel&) = delete;
    PieceModel& operator=(const PieceModel&) = delete;

    [[nodiscard]] std::vector<std::string> pieces(std::string_view sentence) const override;
    [[nodiscard]] std::string sentence(const std::vector<std::string_view>& pieces) const override;
    [[nodiscard]] std::int64_t index_of(std::string_view piece) const override;
    [[nodiscard]] const std::string& piece(std::int64_t index) const override;
    [[nodiscard]] std::int64_t size() const override;
    [[nodiscard]] std::optional<std::int64_t> begin() const override;
    [[nodiscard]] std::optional<std::int64_t> end() const override;
    [[nodiscard]] std::optional<std::int64_t> padding() const override;
    [[nodiscard]] std::int64_t digest() const override { return digest_; }

private:
    std::unique_ptr<sentencepiece::SentencePieceProcessor> model_;
    std::int64_t digest_ = 0;
};

}  // namespace subwords
