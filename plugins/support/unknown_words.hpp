// Handles words that are not in a vocabulary.
#pragma once

#include "vocabulary.hpp"

#include <ptp/settings.hpp>
#include <ptp/setup.hpp>

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ptp::support {

inline constexpr SettingText kUnknownText{
    .help =
        "What a word becomes that is not in the vocabulary: an \"error\", or the index of this "
        "word of the vocabulary, such as \"<UNK>\""};
inline constexpr const char* kUnknownIsError = "error";

class UnknownWords {
public:
    // Throws SettingError if the replacement of unknown words is not in the vocabulary. The
    // arguments must outlive this object.
    UnknownWords(const std::string& setting, const Vocabulary& vocabulary, const Setup& setup)
        : vocabulary_(vocabulary), setup_(setup) {
        if (setting == kUnknownIsError) {
            return;
        }
        index_ = vocabulary.index_of(setting);
        if (!index_) {
            throw SettingError("unknown", "'", setting,
                               "' is not in the vocabulary; add it to additional_tokens");
        }
    }

    // Returns the index of a word, or of its replacement. Throws DataError with the word and the
    // sentence, which `sentence` returns, if there is no replacement. Logs once if more
    // than a fifth of the first words are unknown. [any]
    template <class Sentence>
    [[nodiscard]] std::int64_t index_of(std::string_view word, Sentence sentence) const {
        const auto index = vocabulary_.index_of(word);
        if (!index && !index_) {
            throw DataError(sentence(), ": '", word, "' is not in the vocabulary (size ",
                            vocabulary_.size(),
                            ")\nfix: set unknown = \"<UNK>\" and additional_tokens = "
                            "[\"<UNK>\"]");
        }
        count(index.has_value());
        return index ? *index : *index_;
    }

    [[nodiscard]] std::int64_t index_of(std::string_view word, std::int64_t sample) const {
        return index_of(word, [&] { return "sample " + std::to_string(sample); });
    }

private:
    static constexpr std::int64_t kCountedWords = 100;

    void count(bool is_known) const {
        if (words_.load(std::memory_order_relaxed) >= kCountedWords) {
            return;
        }
        const std::int64_t unknown = unknown_ += is_known ? 0 : 1;
        if (++words_ == kCountedWords && 5 * unknown > kCountedWords) {
            setup_.log_warning(detail::join(
                unknown, " of the first ", kCountedWords,
                " words are not in the vocabulary: are they of other texts, or in other upper and "
                "lower case, than the words that it was made from?"));
        }
    }

    const Vocabulary& vocabulary_;
    const Setup& setup_;
    std::optional<std::int64_t> index_;
    mutable std::atomic<std::int64_t> words_ = 0;  // number of words so far, in any order
    mutable std::atomic<std::int64_t> unknown_ = 0;
};

}  // namespace ptp::support
