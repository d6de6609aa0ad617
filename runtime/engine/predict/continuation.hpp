// Continues a text with a language model: word by word, each the most likely one after the text so
// far, or the first of the `continuation` that the model writes by its own settings.

#pragma once

#include "base/error.hpp"
#include "engine/predict/evaluated.hpp"
#include "engine/predict/unknown_word_counts.hpp"
#include "pipeline/prediction.hpp"

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ptp::engine {

// [step] Its parts must outlive it.
class Continuation {
public:
    struct Parts {
        const experiment::Experiment& experiment;
        std::string section;
        const pipeline::Prediction& prediction;
        std::optional<std::string> classes;  // the global with the words
        const UnknownWordCounts& counts;
    };

    // Throws RunError if the pipeline has no scores of words.
    Continuation(const Parts& parts, EvaluatedPipeline& pipeline);

    // Runs the model once on each text, and returns how many of its words no vocabulary has; empty
    // where no component replaces such words. Components count them too, and warn as they end:
    // others run from then on, because each further word is read with all words before it.
    std::vector<Cell> count_unknown_words(const std::vector<std::string>& texts);

    // Returns the `count` words that follow one of the texts, separated by spaces; fewer after a
    // signal. Throws RunError where the scores are nan or not those of the next word, and where the
    // model takes fewer words: it names the largest number that goes for all texts from here on.
    std::string words_after(const std::vector<std::string>& texts, std::size_t number,
                            std::uint64_t count);

private:
    // An error that a shorter text has as well.
    struct NanScores : RunError {
        using RunError::RunError;
    };

    std::string words_after(const std::string& text, std::uint64_t count);
    // Returns the largest number of words, up to `most`, that the model adds to all texts from this
    // one on; 0 if it adds none, a text has another error, or a signal ends the search.
    std::uint64_t words_of_all(const std::vector<std::string>& texts, std::size_t from,
                               std::uint64_t most);
    // Returns the model's scores of the word after the text.
    [[nodiscard]] at::Tensor scores_after(const std::string& text);
    void require_words(std::int64_t count) const;
    [[nodiscard]] at::Tensor last_step(const at::Tensor& scores);
    void count_no_more();

    const Parts parts_;
    EvaluatedPipeline& pipeline_;
    ComponentContext silent_;  // of components that do not count
    Components components_;
    pipeline::Node task_;  // its sample is one text at a time
    std::size_t setting_ = 0;
    experiment::Section section_;
    std::vector<std::string> words_;  // by number; empty before the first scores
    Cell unknown_words_;              // in the last text that was read
    int continuation_ = -1;           // the stream with the words that the model chooses
    std::int64_t chosen_ = -1;        // the first of them; -1: it chooses none
    std::int64_t steps_ = 0;          // in the last scores; 0: there were none
    std::uint64_t found_ = 0;         // words after the last text: fewer if it takes no longer one
};

}  // namespace ptp::engine
