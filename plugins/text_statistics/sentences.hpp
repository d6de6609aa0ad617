// The sentences to compare, as token lists, as indices of a vocabulary, or as scores of its words;
// and the selection of their words that count.
#pragma once

#include "word_mappings.hpp"

#include <ptp/component.hpp>

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace sentences {

struct SentenceConfig {
    bool use_tokens = false;
    bool use_prediction_distributions = true;
    std::vector<std::string> ignored_words = {"<PAD>", "<EOS>"};
    std::vector<std::string> end_words;

    static constexpr auto settings() {
        return std::tuple{
            ptp::setting("use_tokens", &SentenceConfig::use_tokens,
                         {.help = "Whether targets and predictions are lists of words, not "
                                  "tensors"}),
            ptp::setting("use_prediction_distributions",
                         &SentenceConfig::use_prediction_distributions,
                         {.help = "Whether predictions are scores of words, not indices; unused "
                                  "with use_tokens"}),
            ptp::setting("ignored_words", &SentenceConfig::ignored_words,
                         {.help = "Words that are left out, of targets and predictions"}),
            ptp::setting("end_words", &SentenceConfig::end_words,
                         {.help = "Words that end a sentence: what follows the first is left "
                                  "out"})};
    }
};

inline constexpr std::array kPorts{
    ptp::input("targets", PTP_INTEGER, "B, target_length", "Indices of the right words")
        .purpose(PTP_PURPOSE_TARGETS)
        .when("!use_tokens"),
    ptp::input("targets", PTP_TOKENS, "B", "The right words")
        .purpose(PTP_PURPOSE_TARGETS)
        .when("use_tokens"),
    ptp::input("predictions", PTP_FLOAT, "B, length, num_words", "A score for each word")
        .when("use_prediction_distributions & !use_tokens"),
    ptp::input("predictions", PTP_INTEGER, "B, length", "Indices of words")
        .when("!use_prediction_distributions & !use_tokens"),
    ptp::input("predictions", PTP_TOKENS, "B", "Words").when("use_tokens")};
inline constexpr ptp::Global kWordMappings =
    ptp::reads("word_mappings", "Vocabulary: a table from words to their indices")
        .purpose(PTP_PURPOSE_VOCABULARY)
        .when("!use_tokens");

// The ports of a statistic with several reference sentences for each sample.
inline constexpr std::array kReferencePorts{
    ptp::input("references", PTP_INTEGER, "B, *", "Indices of the words of other right sentences")
        .when("!use_tokens")
        .streams_from("reference_streams"),
    ptp::input("references", PTP_TOKENS, "B", "The words of other right sentences")
        .when("use_tokens")
        .streams_from("reference_streams")};

// The inputs of such a statistic; null if they do not exist.
struct Inputs {
    const at::Tensor* target_indices;
    const ptp::TokenLists* target_tokens;
    const at::Tensor* scores;
    const at::Tensor* indices;
    const ptp::TokenLists* tokens;
    const ptp::List<at::Tensor>* reference_indices = nullptr;
    const ptp::List<ptp::TokenLists>* reference_tokens = nullptr;
};

// Words as numbers, equal for equal words.
using Sentence = std::vector<int64_t>;

struct Pair {
    Sentence target;
    Sentence prediction;
    std::vector<Sentence> references = {};  // other references; without empty ones
};

class Reader {
public:
    // Throws ConfigError if word_mappings is not a vocabulary, or lacks one of end_words.
    Reader(const SentenceConfig& config, const ptp::Setup& setup);

    // Returns the words that count of each sample. Throws DataError if the numbers of predictions
    // and targets differ, or if an index has no word.
    [[nodiscard]] std::vector<Pair> read(const Inputs& inputs) const;

private:
    [[nodiscard]] std::vector<Pair> read_tokens(const Inputs& inputs) const;
    [[nodiscard]] std::vector<Pair> read_indices(const Inputs& inputs) const;
    [[nodiscard]] std::vector<Sentence> known_rows(const char* name,
                                                   const at::Tensor& indices) const;
    [[nodiscard]] at::Tensor best(const at::Tensor& scores) const;
    void require_words(const char* name, const at::Tensor& indices) const;
    [[nodiscard]] std::vector<Sentence> rows(const at::Tensor& indices) const;

    std::optional<ptp::support::WordMappings> words_;  // unless use_tokens
    std::set<std::string, std::less<>> ignored_words_;
    std::set<std::string, std::less<>> end_words_;
    std::set<int64_t> ignored_;  // as indices
    std::set<int64_t> ends_;
};

}  // namespace sentences
