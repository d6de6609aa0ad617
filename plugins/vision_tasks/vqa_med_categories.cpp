// Recognizes questions that are answered by yes or no.

#include "vqa_med_categories.hpp"

#include <words.hpp>

#include <algorithm>
#include <string>

namespace vqa_med {

YesNoQuestions::YesNoQuestions()
    : cleaner_({.has_lowercase = true, .removed_characters = "", .has_punctuation_removed = true}) {
}

bool YesNoQuestions::has(std::string_view question) const {
    constexpr std::array<std::string_view, 4> kFirstWords{"is", "was", "are", "does"};
    std::string cleaned;
    if (!cleaner_.clean(question, cleaned)) {
        return false;
    }
    bool is_first = true;
    bool begins_so = false;
    bool has_or = false;
    ptp::support::for_each_word(cleaned, [&](std::string_view word) {
        begins_so =
            is_first ? std::ranges::find(kFirstWords, word) != kFirstWords.end() : begins_so;
        has_or = has_or || word == "or";
        is_first = false;
    });
    return begins_so && !has_or;
}

}  // namespace vqa_med
