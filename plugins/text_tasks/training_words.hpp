// The vocabulary of the training's texts, which a task publishes in each section alike.
#pragma once

#include <ptp/component.hpp>
#include <word_table.hpp>
#include <words.hpp>

#include <string_view>

inline constexpr ptp::Global kTrainingWords =
    ptp::publishes_if_named("word_mappings",
                            "Words of the training's texts: a table to their indices")
        .when("vocabulary");

inline constexpr ptp::SettingText kVocabularyText{
    .help =
        "Publish word_mappings: the words of the training's texts, unchanged, by first "
        "appearance, in each section the same"};

class TrainingWords {
public:
    // Each word of a text, which are separated by white space.
    void add_text(std::string_view text) {
        ptp::support::for_each_word(text, [&](std::string_view word) { table_.add(word); });
    }
    void add(std::string_view word) { table_.add(word); }

    void publish(const ptp::Setup& setup) const {
        setup.publish("word_mappings", table_.mappings());
    }

private:
    ptp::support::WordTable table_;
};
