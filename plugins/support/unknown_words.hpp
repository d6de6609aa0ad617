// What becomes of words that are not in a vocabulary.
#pragma once

#include "vocabulary.hpp"

#include <ptp/settings.hpp>

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
    // Throws SettingError if the word that replaces unknown ones is not in the vocabulary.
    UnknownWords(const std::string& setting, const Vocabulary& vocabulary) {
        if (setting == kUnknownIsError) {
            return;
        }
        index_ = vocabulary.index_of(setting);
        if (!index_) {
            throw SettingError("unknown", "'", setting,
                               "' is not in the vocabulary; add it to additional_tokens");
        }
    }

    // The index of what replaces a word that is not in the vocabulary. Throws DataError with the
    // word and the sentence if there is none; `sentence` returns which that is.
    template <class Sentence>
    std::int64_t index_for(std::string_view word, Sentence sentence,
                           const Vocabulary& vocabulary) const {
        if (!index_) {
            throw DataError(sentence(), ": '", word, "' is not in the vocabulary (size ",
                            vocabulary.size(),
                            "); with unknown = \"<UNK>\", and that word in "
                            "additional_tokens, it would get its index");
        }
        return *index_;
    }

    std::int64_t index_for(std::string_view word, std::int64_t sample,
                           const Vocabulary& vocabulary) const {
        return index_for(
            word, [&] { return "sample " + std::to_string(sample); }, vocabulary);
    }

private:
    std::optional<std::int64_t> index_;
};

}  // namespace ptp::support
