// Reads predictions and references from tokens, indices or scores.

#include "sentences.hpp"

#include "tensor_checks.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>

namespace sentences {

namespace {

constexpr int64_t kNoWord = -1;  // the prediction if a score is nan

void check_count(const char* name, std::size_t sentences, std::size_t targets) {
    if (sentences != targets) {
        throw ptp::DataError(name, " has ", sentences, " sentences, must have ", targets,
                             ", as targets has");
    }
}

// Adds each reference to its sample; a sample with fewer references than others has empty ones,
// which are ignored.
void add_references(std::vector<Sentence> references, std::vector<Pair>& pairs) {
    check_count("references", references.size(), pairs.size());
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        if (!references[i].empty()) {
            pairs[i].references.push_back(std::move(references[i]));
        }
    }
}

std::set<int64_t> numbers_of(const std::set<std::string, std::less<>>& chosen,
                             const ptp::support::WordMappings& words) {
    std::set<int64_t> numbers;
    for (const std::string& word : chosen) {
        if (const auto number = words.number_of(word)) {
            numbers.insert(*number);
        }
    }
    return numbers;
}

}  // namespace

Reader::Reader(const SentenceConfig& config, const ptp::Setup& setup)
    : ignored_words_(config.ignored_words.begin(), config.ignored_words.end()),
      end_words_(config.end_words.begin(), config.end_words.end()) {
    if (config.use_tokens) {
        return;
    }
    words_.emplace("word_mappings", setup.global<ptp::Data>("word_mappings"));
    for (const std::string& word : end_words_) {
        if (!words_->number_of(word)) {
            throw ptp::SettingError("end_words", "'", word,
                                    "' is not in the global 'word_mappings'");
        }
    }
    ignored_ = numbers_of(ignored_words_, *words_);
    ends_ = numbers_of(end_words_, *words_);
    if (const auto scores = setup.optional_size("num_words"); scores && *scores != words_->size()) {
        throw ptp::ConfigError("predictions has scores for ", *scores,
                               " words, the global 'word_mappings' has indices up to ",
                               words_->size() - 1);
    }
}

std::vector<Pair> Reader::read(const Inputs& inputs) const {
    return words_ ? read_indices(inputs) : read_tokens(inputs);
}

std::vector<Pair> Reader::read_tokens(const Inputs& inputs) const {
    check_count("predictions", inputs.tokens->size(), inputs.target_tokens->size());
    std::unordered_map<std::string_view, int64_t> numbers;
    const auto sentence = [&](const ptp::TokenLists::Tokens& tokens) {
        Sentence read;
        for (std::size_t i = 0; i < tokens.size() && !end_words_.contains(tokens[i]); ++i) {
            if (!ignored_words_.contains(tokens[i])) {
                read.push_back(
                    numbers.emplace(tokens[i], static_cast<int64_t>(numbers.size())).first->second);
            }
        }
        return read;
    };
    std::vector<Pair> pairs;
    for (std::size_t i = 0; i < inputs.tokens->size(); ++i) {
        pairs.push_back({sentence((*inputs.target_tokens)[i]), sentence((*inputs.tokens)[i])});
    }
    const std::size_t others =
        inputs.reference_tokens != nullptr ? inputs.reference_tokens->size() : 0;
    for (std::size_t n = 0; n < others; ++n) {
        const ptp::TokenLists tokens = (*inputs.reference_tokens)[n];
        std::vector<Sentence> references;
        for (std::size_t i = 0; i < tokens.size(); ++i) {
            references.push_back(sentence(tokens[i]));
        }
        add_references(std::move(references), pairs);
    }
    return pairs;
}

std::vector<Pair> Reader::read_indices(const Inputs& inputs) const {
    std::vector<Sentence> targets = known_rows("targets", *inputs.target_indices);
    std::vector<Sentence> predictions = inputs.scores != nullptr
                                            ? rows(best(*inputs.scores))
                                            : known_rows("predictions", *inputs.indices);
    check_count("predictions", predictions.size(), targets.size());
    std::vector<Pair> pairs;
    for (std::size_t i = 0; i < targets.size(); ++i) {
        pairs.push_back({std::move(targets[i]), std::move(predictions[i])});
    }
    const std::size_t others =
        inputs.reference_indices != nullptr ? inputs.reference_indices->size() : 0;
    for (std::size_t n = 0; n < others; ++n) {
        add_references(known_rows("references", (*inputs.reference_indices)[n]), pairs);
    }
    return pairs;
}

std::vector<Sentence> Reader::known_rows(const char* name, const at::Tensor& indices) const {
    require_words(name, indices);
    return rows(indices);
}

// [B, S, V] -> [B, S]
at::Tensor Reader::best(const at::Tensor& scores) const {
    if (scores.size(2) != words_->size()) {
        throw ptp::DataError("predictions has scores for ", scores.size(2),
                             " words, the global 'word_mappings' has indices up to ",
                             words_->size() - 1);
    }
    return scores.argmax(2).masked_fill(scores.isnan().any(2), kNoWord);
}

void Reader::require_words(const char* name, const at::Tensor& indices) const {
    if (!ptp::support::are_classes(indices, words_->size())) {
        ptp::support::require_none(
            ptp::support::are_outside(indices, 0, words_->size()), name, indices,
            "be in [0, " + std::to_string(words_->size()) + "), the indices of the vocabulary");
    }
}

std::vector<Sentence> Reader::rows(const at::Tensor& indices) const {
    const at::Tensor numbers = indices.to(at::kCPU, at::kLong).contiguous();
    const int64_t* next = numbers.data_ptr<int64_t>();
    std::vector<Sentence> sentences(static_cast<std::size_t>(numbers.size(0)));
    for (Sentence& sentence : sentences) {
        const int64_t* end = next + numbers.size(1);
        const int64_t* last = std::find_if(next, end, [&](int64_t n) { return ends_.contains(n); });
        std::copy_if(next, last, std::back_inserter(sentence),
                     [&](int64_t n) { return !ignored_.contains(n); });
        next = end;
    }
    return sentences;
}

}  // namespace sentences
