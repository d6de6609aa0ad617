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

    // A breaker for one thread, which must outlive the session.
    class Session {
    public:
        explicit Session(const WordBreaker& breaker);
        ~Session();
        Session(const Session&) = delete;
        Session& operator=(const Session&) = delete;

        // Adds everything between two boundaries that is not white space: words, numbers, each
        // punctuation mark, and characters that join the space before them, such as a joiner and a
        // picture, unless they are only marks or are invisible. Words do not contain white space or
        // depend on what is beyond it: the parts of a text between white space can be split
        // separately.
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
