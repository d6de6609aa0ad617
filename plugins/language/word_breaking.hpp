// Words as Unicode has them: UAX #29, "Unicode Text Segmentation".
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

    // One thread's use of a breaker, while that exists.
    class Session {
    public:
        explicit Session(const WordBreaker& breaker);
        ~Session();
        Session(const Session&) = delete;
        Session& operator=(const Session&) = delete;

        // Adds all that is between two boundaries and not white space: words, numbers, each
        // punctuation mark, and what joins the space before it, such as a joiner and a picture,
        // unless it has marks alone, or nothing of it is shown. No word has white space in it or
        // depends on what is beyond: what a text is split into is what its parts between white
        // space are split into.
        void split(std::string_view text, std::vector<std::string>& words);

    private:
        UBreakIterator* iterator_;
        std::string spaced_;  // the text with spaces as its only white space, and one before it
        UText* text_ = nullptr;
    };

private:
    struct Close {
        void operator()(UBreakIterator* iterator) const;
    };

    std::unique_ptr<UBreakIterator, Close> iterator_;
};

}  // namespace language
