#include "vqa_med_vocabularies.hpp"

#include <words.hpp>

#include <cstddef>

namespace vqa_med {

namespace {

// Of kVocabularyGlobals.
enum Place : size_t { kQuestionWords, kAnswerWords, kAnswers, kOpenAnswers, kFirstCategory };

}  // namespace

void Vocabularies::add_question(std::string_view question) {
    ptp::support::for_each_word(question,
                                [&](std::string_view word) { tables_[kQuestionWords].add(word); });
}

void Vocabularies::add_answer(Category category, std::string_view answer) {
    ptp::support::for_each_word(answer,
                                [&](std::string_view word) { tables_[kAnswerWords].add(word); });
    tables_[kAnswers].add(answer);
    if (category != Category::kBinary) {
        tables_[kOpenAnswers].add(answer);
    }
    tables_[kFirstCategory + static_cast<size_t>(category)].add(answer);
}

void Vocabularies::publish(const ptp::Setup& setup) const {
    for (size_t i = 0; i < tables_.size(); ++i) {
        setup.publish(kVocabularyGlobals[i].name, tables_[i].mappings());
    }
}

}  // namespace vqa_med
