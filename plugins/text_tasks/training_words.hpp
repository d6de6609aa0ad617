// The vocabulary of the training's texts, which a task publishes in each section alike.
#pragma once

#include <ptp/component.hpp>
#include <word_table.hpp>

inline constexpr ptp::Global kTrainingWords =
    ptp::publishes_if_named("word_mappings",
                            "Words of the training's texts: a table to their indices")
        .when("vocabulary");

inline constexpr ptp::SettingText kVocabularyText{
    .help =
        "Publish word_mappings: the words of the training's texts, unchanged, by first "
        "appearance, in each section the same"};

inline void publish_words(const ptp::support::WordTable& words, const ptp::Setup& setup) {
    setup.publish(kTrainingWords.name, words.mappings());
}
