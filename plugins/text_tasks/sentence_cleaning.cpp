// Removes accents and everything but letters and . ! ? with ICU.

#include "sentence_cleaning.hpp"

#include <ptp/error.hpp>

#include <unicode/locid.h>
#include <unicode/normalizer2.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>

#include <string>

namespace {

icu::UnicodeString decomposed(std::string_view sentence) {
    UErrorCode status = U_ZERO_ERROR;
    const icu::Normalizer2* canonical = icu::Normalizer2::getNFDInstance(status);
    icu::UnicodeString result;
    if (U_SUCCESS(status)) {
        icu::UnicodeString lower = icu::UnicodeString::fromUTF8(
            icu::StringPiece(sentence.data(), static_cast<int32_t>(sentence.size())));
        lower.toLower(icu::Locale::getRoot());
        result = canonical->normalize(lower, status);
    }
    if (U_FAILURE(status)) {
        throw ptp::SystemError("ICU cannot normalize a sentence: ", u_errorName(status));
    }
    return result;
}

bool is_end_mark(UChar32 c) {
    return c == '.' || c == '!' || c == '?';
}

}  // namespace

void for_each_clean_word(std::string_view sentence,
                         const std::function<void(std::string_view)>& add) {
    const icu::UnicodeString text = decomposed(sentence);
    std::string word;
    const auto end_word = [&] {
        if (!word.empty()) {
            add(word);
            word.clear();
        }
    };
    for (int32_t i = 0; i < text.length(); i = text.moveIndex32(i, 1)) {
        const UChar32 c = text.char32At(i);
        if (u_charType(c) == U_NON_SPACING_MARK) {
            continue;
        }
        if (u_isalpha(c) == 0) {
            end_word();
        }
        if (u_isalpha(c) != 0 || is_end_mark(c)) {
            icu::UnicodeString(c).toUTF8String(word);
        }
        if (is_end_mark(c)) {
            end_word();
        }
    }
    end_word();
}
