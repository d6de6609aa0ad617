// The vocabulary of the training's texts, which a task publishes identically in each section.
#pragma once

#include <ptp/component.hpp>
#include <texts.hpp>
#include <word_table.hpp>

#include <filesystem>
#include <system_error>

inline constexpr ptp::Global kTrainingWords =
    ptp::publishes_if_named("word_mappings",
                            "Words of the training's texts: a table to their indices")
        .purpose(PTP_PURPOSE_VOCABULARY)
        .when("vocabulary");

// For a task that may read texts without targets.
inline constexpr ptp::Global kTrainingWordsUnlessGiven =
    kTrainingWords.when("vocabulary & !texts & !samples");

inline constexpr ptp::SettingText kVocabularyText{
    .help =
        "Publish word_mappings: the words of the training's texts, unchanged, by first "
        "appearance, in each section the same",
    .purpose = PTP_PURPOSE_VOCABULARY};

// For a task that reads the texts of its own section alone.
inline constexpr ptp::SettingText kOwnVocabularyText{
    .help = "Publish word_mappings: the words of these texts, unchanged, by first appearance",
    .purpose = PTP_PURPOSE_VOCABULARY};

inline void publish_words(const ptp::support::WordTable& words, const ptp::Setup& setup) {
    setup.publish(kTrainingWords.name, words.mappings());
}

inline void publish_words(const ptp::support::Texts& texts, const ptp::Setup& setup) {
    ptp::support::WordTable words;
    for (size_t i = 0; i < texts.size(); ++i) {
        words.add_text(texts[i]);
    }
    publish_words(words, setup);
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
