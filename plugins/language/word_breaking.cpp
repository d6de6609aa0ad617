#include "word_breaking.hpp"

#include "words.hpp"

#include <ptp/error.hpp>

#include <unicode/ubrk.h>
#include <unicode/utext.h>

#include <cstddef>

namespace language {

namespace {

void require_icu(UErrorCode error) {
    if (U_FAILURE(error)) {
        throw ptp::SystemError("ICU cannot split a text into words: ", u_errorName(error));
    }
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
        const auto at = static_cast<size_t>(begin);
        if (spaced_[at] != ' ') {
            words.emplace_back(spaced_, at, static_cast<size_t>(end - begin));
        }
        begin = end;
    }
}

}  // namespace language
