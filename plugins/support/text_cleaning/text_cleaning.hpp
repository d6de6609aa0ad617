// Cleans a sentence before it is split into words.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

struct UCaseMap;

namespace ptp::support {

struct CleaningOptions {
    bool has_lowercase = false;            // converts all letters to lower case first
    std::string removed_characters;        // each becomes a space
    bool has_punctuation_removed = false;  // then, without a space instead
};

// Applies Unicode's rules, without those of a language: full case mapping; punctuation is the
// general categories P* and ASCII's $ + < = > ^ ` | ~. May be used by several threads at once.
class TextCleaner {
public:
    // Throws SystemError if ICU cannot be used.
    explicit TextCleaner(const CleaningOptions& options);
    ~TextCleaner();
    TextCleaner(const TextCleaner&) = delete;
    TextCleaner& operator=(const TextCleaner&) = delete;

    // Writes the result to `cleaned`. Returns false for a text that is not UTF-8.
    [[nodiscard]] bool clean(std::string_view text, std::string& cleaned) const;

private:
    [[nodiscard]] bool clean_ascii(std::string_view text, std::string& cleaned) const;
    void clean_unicode(std::string_view text, std::string& cleaned) const;

    CleaningOptions options_;
    std::vector<int32_t> removed_;    // code points, sorted
    std::array<int16_t, 128> ascii_;  // replacement of each character; kNothing: removed
    UCaseMap* case_map_ = nullptr;
};

}  // namespace ptp::support
