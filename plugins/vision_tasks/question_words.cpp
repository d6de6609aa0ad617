// Cleans a text, and splits it into its words.

#include "question_words.hpp"

#include "stop_words.hpp"

#include <words.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>

TextPreparation::TextPreparation(const TextChanges& changes)
    : changes_(changes),
      cleaner_({.has_lowercase = changes.has_lowercase,
                .removed_characters = changes.has_punctuation_removed ? "“”’" : "",
                .has_punctuation_removed = changes.has_punctuation_removed}) {}

std::string TextPreparation::cleaned(std::string_view text) const {
    std::string result;
    return cleaner_.clean(text, result) ? result : std::string(text);
}

std::vector<std::string> TextPreparation::words(std::string_view cleaned,
                                                ptp::Random random) const {
    std::vector<std::string_view> words;
    ptp::support::for_each_word(cleaned, [&](std::string_view word) { words.push_back(word); });
    if (changes_.has_stop_words_removed) {
        std::vector<std::string_view> kept;
        std::ranges::copy_if(words, std::back_inserter(kept), [&](std::string_view word) {
            return !is_stop_word(word) || random.coin();
        });
        if (!kept.empty()) {
            words = std::move(kept);
        }
    }
    if (changes_.has_words_exchanged && words.size() >= 2 && random.coin()) {
        const auto first =
            static_cast<size_t>(random.below(static_cast<int64_t>(words.size()) - 1));
        std::swap(words[first], words[first + 1]);
    }
    return {words.begin(), words.end()};
}

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) {
        text += text.empty() ? "" : " ";
        text += word;
    }
    return text;
}
