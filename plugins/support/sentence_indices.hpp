// Converts sentences to rows of vocabulary indices, padded or cut to the same length.
#pragma once

#include "unknown_words.hpp"
#include "vocabulary.hpp"

#include <ptp/settings.hpp>
#include <ptp/setup.hpp>
#include <ptp/text.hpp>

#include <ATen/core/Tensor.h>

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <tuple>

namespace ptp::support {

inline constexpr const char* kPad = "<PAD>";
inline constexpr const char* kEndOfSentence = "<EOS>";

struct IndexingConfig {
    std::optional<std::int64_t> fixed_padding;
    bool eos_token = false;
    std::string unknown = kUnknownIsError;
    bool output_lengths = false;
    bool output_masks = false;

    static constexpr auto settings() {
        return std::tuple{
            setting("fixed_padding", &IndexingConfig::fixed_padding,
                    {.help = "Indices of each sentence; if not given, those of the longest",
                     .range = "[1, inf)"}),
            setting("eos_token", &IndexingConfig::eos_token,
                    {.help = "End each sentence with the index of \"<EOS>\""}),
            setting("unknown", &IndexingConfig::unknown, kUnknownText),
            setting("output_lengths", &IndexingConfig::output_lengths,
                    {.help = "Also write the stream lengths"}),
            setting("output_masks", &IndexingConfig::output_masks,
                    {.help = "Also write the stream masks"})};
    }
};

inline constexpr Global kPadIndexGlobal =
    publishes_if_named("pad_index", "Index of \"<PAD>\"").purpose(PTP_PURPOSE_IGNORED_TARGET);

class SentenceIndices {
public:
    // Publishes pad_index. Throws SettingError if "<PAD>", or a word that the settings require, is
    // not in the vocabulary, which must outlive this object.
    SentenceIndices(const IndexingConfig& config, const Vocabulary& vocabulary, const Setup& setup);

    // Rows in the memory of the host, as 64-bit integers.
    struct Rows {
        at::Tensor indices;  // [B, length]
        at::Tensor lengths;  // [B], number of indices that count: at least one
        at::Tensor masks;    // [B, length], true for those; undefined unless requested
    };

    // Returns the rows; `samples` are the numbers of the sentences' samples, for messages; empty if
    // unknown. Throws DataError for an unknown word. Logs once if words are cut off. [any]
    [[nodiscard]] Rows rows_of(const TokenLists& sentences,
                               std::span<const std::int64_t> samples) const;

    [[nodiscard]] std::int64_t pad_index() const { return pad_; }

private:
    // Returns the number of indices of a sentence with this number of words: at least one, since
    // nothing can be computed of a sequence without steps.
    [[nodiscard]] std::int64_t length_of(std::size_t words) const;
    void log_empty(const std::string& sentence) const;
    void log_cut(const std::string& sentence, std::int64_t length, std::int64_t width) const;

    IndexingConfig config_;
    const Setup& setup_;
    UnknownWords unknown_;
    std::int64_t pad_ = 0;
    std::optional<std::int64_t> end_;
    mutable std::atomic<bool> has_logged_cut_ = false;  // a newer build logs again
    mutable std::atomic<bool> has_logged_empty_ = false;
};

}  // namespace ptp::support
