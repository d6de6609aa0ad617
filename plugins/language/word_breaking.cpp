// Splits texts with ICU's word iterator, and drops segments that are spaces alone.

#include "word_breaking.hpp"

#include "words.hpp"

#include <ptp/error.hpp>

#include <unicode/ubrk.h>
#include <unicode/uchar.h>
#include <unicode/utext.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <cstddef>

namespace language {

namespace {

void require_icu(UErrorCode error) {
    if (U_FAILURE(error)) {
        throw ptp::SystemError("ICU cannot split a text into words: ", u_errorName(error));
    }
}

// Returns whether the text has a character that is displayed by itself: neither a mark on the
// character before it nor an invisible instruction such as U+200D, which joins its neighbors, or
// U+FEFF.
bool has_shown_character(std::string_view text) {
    const auto length = static_cast<int32_t>(text.size());
    for (int32_t i = 0; i < length;) {
        UChar32 character = 0;
        U8_NEXT(text.data(), i, length, character);
        const bool is_mark = (U_GET_GC_MASK(character) & U_GC_M_MASK) != 0;
        if (!is_mark && u_hasBinaryProperty(character, UCHAR_DEFAULT_IGNORABLE_CODE_POINT) == 0) {
            return true;
        }
    }
    return false;
}

}  // namespace

void WordBreaker::Close::operator()(UBreakIterator* iterator) const {
    ubrk_close(iterator);
}

WordBreaker::WordBreaker() {
    UErrorCode error = U_ZERO_ERROR;
    iterator_.reset(ubrk_open(UBRK_WORD, "", nullptr, 0, &error));
    require_icu(error);
}

WordBreaker::Session::Session(const WordBreaker& breaker) {
    UErrorCode error = U_ZERO_ERROR;
    iterator_ = ubrk_clone(breaker.iterator_.get(), &error);
    require_icu(error);
}

WordBreaker::Session::~Session() {
    ubrk_close(iterator_);
    utext_close(text_);
}

// Splits at white space first: Unicode's rules keep U+202F and the digits beside it in one word.
void WordBreaker::Session::split(std::string_view text, std::vector<std::string>& words) {
    spaced_.clear();
    ptp::support::for_each_word(text,
                                [&](std::string_view word) { spaced_.append(" ").append(word); });
    UErrorCode error = U_ZERO_ERROR;
    text_ = utext_openUTF8(text_, spaced_.data(), static_cast<int64_t>(spaced_.size()), &error);
    ubrk_setUText(iterator_, text_, &error);
    require_icu(error);
    int32_t begin = ubrk_first(iterator_);
    for (int32_t end = ubrk_next(iterator_); end != UBRK_DONE; end = ubrk_next(iterator_)) {
        std::string_view word = std::string_view(spaced_).substr(static_cast<size_t>(begin),
                                                                 static_cast<size_t>(end - begin));
        if (word.front() == ' ') {  // A mark that joins a space is in its segment.
            word.remove_prefix(std::min(word.find_first_not_of(' '), word.size()));
            word = has_shown_character(word) ? word : "";
        }
        if (!word.empty()) {
            words.emplace_back(word);
        }
        begin = end;
    }
}

}  // namespace language
