// A language model continues a text: word by word, each the most likely one after those before it.

#pragma once

#include "engine/process/evaluated.hpp"
#include "pipeline/prediction.hpp"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ptp::engine {

// [step] All that it is made from must outlive it.
class Continuation {
public:
    struct Parts {
        const experiment::Experiment& experiment;
        std::string section;
        const pipeline::Prediction& prediction;
        std::optional<std::string> classes;  // the global with the words
    };

    // Throws RunError where the pipeline has no scores of words.
    Continuation(const Parts& parts, EvaluatedPipeline& pipeline);

    // The words that follow the text, with a space between each two. Throws RunError, also where
    // the scores are not those of the word after each.
    std::string words_after(std::string text, std::uint64_t count);

private:
    // The scores that the model has of the word after the text.
    [[nodiscard]] at::Tensor scores_after(const std::string& text);
    void require_words(std::int64_t count) const;
    [[nodiscard]] at::Tensor last_step(const at::Tensor& scores);

    const Parts parts_;
    EvaluatedPipeline& pipeline_;
    pipeline::Node task_;  // with one text at a time as its sample
    std::size_t setting_ = 0;
    experiment::Section section_;
    std::vector<std::string> words_;  // by their numbers; empty before the first scores
    std::int64_t steps_ = 0;          // of the scores before; 0: there were none
};

}  // namespace ptp::engine
