// Collects the words of questions and answers, and publishes them.

#include "vqa_med_vocabularies.hpp"

#include <cstddef>

namespace vqa_med {

namespace {

// Positions in kVocabularyGlobals.
enum Place : size_t { kQuestionWords, kAnswerWords, kAnswers, kOpenAnswers, kFirstCategory };

}  // namespace

void Vocabularies::add_question(std::string_view question) {
    tables_[kQuestionWords].add_text(question);
}

void Vocabularies::add_answer(Category category, std::string_view answer) {
    tables_[kAnswerWords].add_text(answer);
    tables_[kAnswers].add(answer);
    if (category != Category::kBinary) {
        tables_[kOpenAnswers].add(answer);
    }
    tables_[kFirstCategory + static_cast<size_t>(category)].add(answer);
}

void Vocabularies::publish(const ptp::Setup& setup) const {
    for (size_t i = 0; i < tables_.size(); ++i) {
        publish_words(kVocabularyGlobals[i], tables_[i], setup);
    }
}

}  // namespace vqa_med
