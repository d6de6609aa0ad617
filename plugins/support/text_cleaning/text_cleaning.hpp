// What is done to a sentence before it is split into words.
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
    bool has_lowercase = false;            // all letters are made lower-case first
    std::string removed_characters;        // each becomes a space
    bool has_punctuation_removed = false;  // then, without a space in its place
};

// Unicode's rules, without those of a language: full case mapping, and as punctuation the general
// categories P* and ASCII's $ + < = > ^ ` | ~. May be used by several threads at once.
class TextCleaner {
public:
    // Throws SystemError if ICU cannot be used.
    explicit TextCleaner(const CleaningOptions& options);
    ~TextCleaner();
    TextCleaner(const TextCleaner&) = delete;
    TextCleaner& operator=(const TextCleaner&) = delete;

    // Replaces `cleaned`. False for a text that is not UTF-8.
    [[nodiscard]] bool clean(std::string_view text, std::string& cleaned) const;

private:
    [[nodiscard]] bool clean_ascii(std::string_view text, std::string& cleaned) const;
    void clean_unicode(std::string_view text, std::string& cleaned) const;

    CleaningOptions options_;
    std::vector<int32_t> removed_;    // code points, sorted
    std::array<int16_t, 128> ascii_;  // what becomes of each; kNothing: it is removed
    UCaseMap* case_map_ = nullptr;
};

}  // namespace ptp::support
