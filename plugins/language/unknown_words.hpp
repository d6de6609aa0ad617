// What becomes of words that are not in a vocabulary.
#pragma once

#include "vocabulary.hpp"

#include <ptp/settings.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace language {

inline constexpr ptp::SettingText kUnknownText{
    .help =
        "What a word becomes that is not in the vocabulary: an \"error\", or the index of this "
        "word of the vocabulary, such as \"<UNK>\""};
inline constexpr const char* kUnknownIsError = "error";

class UnknownWords {
public:
    // Throws SettingError if the word that replaces unknown ones is not in the vocabulary.
    UnknownWords(const std::string& setting, const ptp::support::Vocabulary& vocabulary) {
        if (setting == kUnknownIsError) {
            return;
        }
        index_ = vocabulary.index_of(setting);
        if (!index_) {
            throw ptp::SettingError("unknown", "'", setting,
                                    "' is not in the vocabulary; add it to additional_tokens");
        }
    }

    // The index of what replaces a word that is not in the vocabulary. Throws DataError with the
    // word and the sample if there is none.
    int64_t index_for(std::string_view word, int64_t sample,
                      const ptp::support::Vocabulary& vocabulary) const {
        if (!index_) {
            throw ptp::DataError("sample ", sample, ": '", word,
                                 "' is not in the vocabulary (size ", vocabulary.size(),
                                 "); with unknown = \"<UNK>\", and that word in "
                                 "additional_tokens, it would get its index");
        }
        return *index_;
    }

private:
    std::optional<int64_t> index_;
};

}  // namespace language
