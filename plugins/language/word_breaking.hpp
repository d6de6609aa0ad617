// Splits text into words by Unicode's rules: UAX #29, "Unicode Text Segmentation".
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

struct UBreakIterator;
struct UText;

namespace language {

class WordBreaker {
public:
    // Throws SystemError if ICU cannot be used.
    WordBreaker();

    // Splits texts in one thread; the breaker must outlive it.
    class Session {
    public:
        explicit Session(const WordBreaker& breaker);
        ~Session();
        Session(const Session&) = delete;
        Session& operator=(const Session&) = delete;

        // Adds the words of the text: numbers and punctuation marks are words, too, white space is
        // not. Those of "don't pay $3.50 (or 1,000)" are: don't  pay  $  3.50  (  or  1,000  )
        // An accent or an invisible joiner between white space is no word. White space ends a word
        // in any case, so that the parts of a text between it can be split separately.
        void split(std::string_view text, std::vector<std::string>& words);

    private:
        UBreakIterator* iterator_;
        std::string spaced_;  // the text with a space before each word as its only white space
        UText* text_ = nullptr;
    };

private:
    struct Close {
        void operator()(UBreakIterator* iterator) const;
    };

    std::unique_ptr<UBreakIterator, Close> iterator_;
};

}  // namespace language
