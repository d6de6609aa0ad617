// The vocabulary of the training's texts, which a task publishes identically in each section.
#pragma once

#include <ptp/component.hpp>
#include <word_table.hpp>

#include <filesystem>
#include <system_error>

inline constexpr ptp::Global kTrainingWords =
    ptp::publishes_if_named("word_mappings",
                            "Words of the training's texts: a table to their indices")
        .when("vocabulary");

// For a task that may read texts without targets.
inline constexpr ptp::Global kTrainingWordsUnlessGiven =
    kTrainingWords.when("vocabulary & !texts & !samples");

inline constexpr ptp::SettingText kVocabularyText{
    .help =
        "Publish word_mappings: the words of the training's texts, unchanged, by first "
        "appearance, in each section the same"};

inline void publish_words(const ptp::support::WordTable& words, const ptp::Setup& setup) {
    setup.publish(kTrainingWords.name, words.mappings());
}

// Publishes the words that `read` returns for a file of the training, or, if the file is missing,
// those of the checkpoint.
template <class Read>
void publish_words_of(const std::filesystem::path& file, const ptp::Setup& setup, Read read) {
    std::error_code ignored;
    const auto saved = setup.saved_global(kTrainingWords.name);
    if (saved && !std::filesystem::exists(file, ignored)) {
        setup.publish(kTrainingWords.name, *saved);
    } else {
        publish_words(read(), setup);
    }
}
