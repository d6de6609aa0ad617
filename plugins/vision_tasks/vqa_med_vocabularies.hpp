// The vocabularies of VQAMED2019.
#pragma once

#include "question_vocabularies.hpp"
#include "vqa_med_categories.hpp"

#include <array>
#include <string_view>

namespace vqa_med {

inline constexpr std::array kVocabularyGlobals{
    kQuestionWordsGlobal,
    kAnswerWordsGlobal,
    kAnswersGlobal,
    vocabulary_global("open_answer_mappings", "The same of questions that are not BINARY"),
    vocabulary_global("c1_answer_mappings", "The same of those in C1 that are not BINARY"),
    vocabulary_global("c2_answer_mappings", "The same of those in C2 that are not BINARY"),
    vocabulary_global("c3_answer_mappings", "The same of those in C3 that are not BINARY"),
    vocabulary_global("c4_answer_mappings", "The same of those in C4 that are not BINARY"),
    vocabulary_global("binary_answer_mappings", "The same of BINARY questions")};

class Vocabularies {
public:
    // Add a text after its preparation, before it is split into words.
    void add_question(std::string_view question);
    void add_answer(Category category, std::string_view answer);

    void publish(const ptp::Setup& setup) const;

private:
    std::array<ptp::support::WordTable, kVocabularyGlobals.size()> tables_;
};

}  // namespace vqa_med
