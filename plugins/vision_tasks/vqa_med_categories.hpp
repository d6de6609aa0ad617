// The categories of the questions of VQA-Med 2019.
#pragma once

#include <text_cleaning.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace vqa_med {

enum class Category : int16_t { kModality, kPlane, kOrgan, kAbnormality, kBinary, kUnknown };

// The names by their numbers.
inline constexpr std::array<std::string_view, 6> kCategoryNames{"C1", "C2",     "C3",
                                                                "C4", "BINARY", "<UNK>"};

constexpr std::string_view name_of(Category category) {
    return kCategoryNames[static_cast<size_t>(category)];
}

// Detects the questions that ask for yes or no, regardless of the category in the files. May be
// used by several threads at once.
class YesNoQuestions {
public:
    YesNoQuestions();

    // Returns whether the first word is is, was, are or does, and no word is "or", ignoring
    // capitals and punctuation. REQUIRES: the question is UTF-8.
    [[nodiscard]] bool has(std::string_view question) const;

private:
    ptp::support::TextCleaner cleaner_;
};

}  // namespace vqa_med
