// The vocabularies of questions and answers that tasks publish.
#pragma once

#include <ptp/declare.hpp>
#include <ptp/setup.hpp>
#include <word_table.hpp>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <span>
#include <system_error>

// Returns a table that is published if the experiment names a global for it and `vocabulary` is
// set.
constexpr ptp::Global vocabulary_global(const char* name, const char* help) {
    return ptp::publishes_if_named(name, help).when("vocabulary & !questions & !samples");
}

inline constexpr ptp::Global kQuestionWordsGlobal =
    vocabulary_global("question_word_mappings", "Words of questions: a table to their indices");
inline constexpr ptp::Global kAnswerWordsGlobal =
    vocabulary_global("answer_word_mappings", "Words of answers: a table to their indices");
inline constexpr ptp::Global kAnswersGlobal =
    vocabulary_global("answer_mappings", "Whole answers: a table to their numbers");

inline constexpr const char* kVocabularyHelp =
    "Which split's questions make the vocabularies that are published, in each section the same";

inline void publish_words(const ptp::Global& global, const ptp::support::WordTable& words,
                          const ptp::Setup& setup) {
    setup.publish(global.name, words.mappings());
}

// Publishes the vocabularies of the checkpoint if a file of the training is missing. Returns false
// if they are to be made from the files.
inline bool publish_saved_words(std::span<const ptp::Global> vocabularies,
                                std::span<const std::filesystem::path> files,
                                const ptp::Setup& setup) {
    const bool is_gone = std::ranges::any_of(files, [](const std::filesystem::path& file) {
        std::error_code ignored;
        return !std::filesystem::exists(file, ignored);
    });
    bool is_saved = false;
    for (const ptp::Global& global : vocabularies) {
        const auto saved = is_gone ? setup.saved_global(global.name) : std::nullopt;
        if (saved) {
            setup.publish(global.name, *saved);
            is_saved = true;
        }
    }
    return is_saved;
}
