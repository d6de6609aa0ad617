// WordPiece, by the vocabulary of BERT and its relatives.
//
// Devlin et al.: BERT, 2018, arXiv 1810.04805. Words and punctuation are split into the longest
// pieces of the vocabulary from the left; those within a word begin with ##.
#pragma once

#include "pieces.hpp"

#include <unordered_map>

namespace subwords {

class WordPieces : public Pieces {
public:
    // With `has_lowercase` letters become lower-case and lose their accents. Throws DataError for a
    // file that is wrong.
    WordPieces(const std::filesystem::path& vocabulary, bool has_lowercase);

    [[nodiscard]] std::vector<std::string> pieces(std::string_view sentence) const override;
    [[nodiscard]] std::string sentence(const std::vector<std::string_view>& pieces) const override;
    [[nodiscard]] std::int64_t index_of(std::string_view piece) const override;
    [[nodiscard]] const std::string& piece(std::int64_t index) const override {
        return pieces_[static_cast<std::size_t>(index)];
    }
    [[nodiscard]] std::int64_t size() const override {
        return static_cast<std::int64_t>(pieces_.size());
    }
    [[nodiscard]] std::optional<std::int64_t> begin() const override { return find("[CLS]"); }
    [[nodiscard]] std::optional<std::int64_t> end() const override { return find("[SEP]"); }
    [[nodiscard]] std::optional<std::int64_t> padding() const override { return find("[PAD]"); }
    [[nodiscard]] std::int64_t digest() const override { return digest_; }

private:
    [[nodiscard]] std::optional<std::int64_t> find(std::string_view piece) const;
    void add_word(std::string_view word, std::vector<std::string>& pieces) const;

    bool has_lowercase_;
    std::vector<std::string> pieces_;
    std::unordered_map<std::string, std::int64_t> indices_;
    std::vector<std::string> controls_;
    std::int64_t unknown_ = 0;
    std::int64_t digest_ = 0;
};

}  // namespace subwords
