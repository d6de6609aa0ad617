// Prepares the text of a question or an answer.
#pragma once

#include <ptp/random.hpp>
#include <text_cleaning.hpp>

#include <string>
#include <string_view>
#include <vector>

struct TextChanges {
    bool has_lowercase = false;
    bool has_punctuation_removed = false;  // after the quotes “ ” ’ have become spaces
    bool has_stop_words_removed = false;   // each with probability one half
    bool has_words_exchanged = false;      // two neighbors, with probability one half

    // Returns whether a text differs each time.
    [[nodiscard]] bool is_random() const { return has_stop_words_removed || has_words_exchanged; }
};

// May be used by several threads at once.
class TextPreparation {
public:
    explicit TextPreparation(const TextChanges& changes);

    // Returns the text with the changes that are not random. REQUIRES: `text` is UTF-8.
    [[nodiscard]] std::string cleaned(std::string_view text) const;

    // Returns the words of a cleaned text, with the random changes. A text does not lose its last
    // word.
    [[nodiscard]] std::vector<std::string> words(std::string_view cleaned,
                                                 ptp::Random random) const;

    [[nodiscard]] bool is_random() const { return changes_.is_random(); }

private:
    TextChanges changes_;
    ptp::support::TextCleaner cleaner_;
};

// Joins the words with spaces.
std::string joined(const std::vector<std::string>& words);
