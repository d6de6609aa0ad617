// Byte-level byte pair encoding, by the two files of GPT-2 and its relatives.
//
// Radford et al.: Language models are unsupervised multitask learners, 2019; Sennrich, Haddow and
// Birch 2016, arXiv 1508.07909. A text is split by GPT-2's expression into words with their blanks;
// each byte of a word is a character, and the pair of neighbors that is first in the list of merges
// becomes one piece, until none is left.
#pragma once

#include "pieces.hpp"

#include <array>
#include <unordered_map>

namespace subwords {

class BytePairs : public Pieces {
public:
    // Throws DataError for files that are wrong.
    BytePairs(const std::filesystem::path& vocabulary, const std::filesystem::path& merges);

    [[nodiscard]] std::vector<std::string> pieces(std::string_view sentence) const override;
    [[nodiscard]] std::string sentence(const std::vector<std::string_view>& pieces) const override;
    [[nodiscard]] std::int64_t index_of(std::string_view piece) const override;
    [[nodiscard]] const std::string& piece(std::int64_t index) const override {
        return pieces_[static_cast<std::size_t>(index)];
    }
    [[nodiscard]] std::int64_t size() const override {
        return static_cast<std::int64_t>(pieces_.size());
    }
    [[nodiscard]] std::optional<std::int64_t> begin() const override { return begin_; }
    [[nodiscard]] std::optional<std::int64_t> end() const override { return end_; }
    [[nodiscard]] std::optional<std::int64_t> padding() const override { return padding_; }
    [[nodiscard]] std::int64_t digest() const override { return digest_; }

private:
    // The piece that two neighbors become, and its place in the list of merges.
    struct Merge {
        std::size_t rank = 0;
        std::int64_t piece = 0;
    };

    void read_vocabulary(const std::filesystem::path& file, const std::string& text);
    void read_merges(const std::filesystem::path& file, const std::string& text);
    void find_controls();
    [[nodiscard]] std::optional<std::int64_t> find(std::string_view piece) const;
    [[nodiscard]] const Merge* merge_of(std::int64_t left, std::int64_t right) const;
    void add_word(std::string_view word, std::vector<std::string>& pieces) const;

    std::vector<std::string> pieces_;
    std::unordered_map<std::string, std::int64_t> indices_;
    std::array<std::int64_t, 256> bytes_{};  // the piece of each byte
    std::unordered_map<std::uint64_t, Merge> merges_;
    std::vector<std::string> controls_;
    std::optional<std::int64_t> begin_;
    std::optional<std::int64_t> end_;
    std::optional<std::int64_t> padding_;
    std::optional<std::int64_t> unknown_;
    std::int64_t digest_ = 0;
};

}  // namespace subwords
