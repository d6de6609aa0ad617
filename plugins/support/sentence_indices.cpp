// Fills one row for each sentence: the indices of its words, "<EOS>" if requested, and padding.

#include "sentence_indices.hpp"

#include <ptp/error.hpp>

#include <ATen/ATen.h>

#include <algorithm>

namespace ptp::support {

namespace {

std::int64_t index_of_token(const Vocabulary& vocabulary, const char* token, const char* setting) {
    const auto index = vocabulary.index_of(token);
    if (!index) {
        throw SettingError(setting, "'", token, "' is not in the vocabulary\nfix: set ",
                           vocabulary.setting_with(token));
    }
    return *index;
}

std::string sentence_name(std::span<const std::int64_t> samples, std::size_t place) {
    return samples.empty() ? detail::join("sentence ", place, " of the batch")
                           : detail::join("sample ", samples[place]);
}

}  // namespace

SentenceIndices::SentenceIndices(const IndexingConfig& config, const Vocabulary& vocabulary,
                                 const Setup& setup)
    : config_(config),
      setup_(setup),
      unknown_(config.unknown, vocabulary, setup),
      pad_(index_of_token(vocabulary, kPad, "additional_tokens")) {
    if (config.eos_token) {
        end_ = index_of_token(vocabulary, kEndOfSentence, "eos_token");
    }
    setup.publish("pad_index", pad_);
}

std::int64_t SentenceIndices::length_of(std::size_t words) const {
    return std::max<std::int64_t>(static_cast<std::int64_t>(words) + (end_ ? 1 : 0), 1);
}

SentenceIndices::Rows SentenceIndices::rows_of(const TokenLists& sentences,
                                               std::span<const std::int64_t> samples) const {
    const auto count = static_cast<std::int64_t>(sentences.size());
    std::int64_t longest = 1;
    for (std::size_t i = 0; i < sentences.size(); ++i) {
        longest = std::max(longest, length_of(sentences[i].size()));
    }
    const std::int64_t width = config_.fixed_padding.value_or(longest);
    Rows rows{.indices = at::full({count, width}, pad_, at::kLong),
              .lengths = at::empty({count}, at::kLong),
              .masks = {}};
    const at::Tensor real = at::empty({count}, at::kLong);  // without the padding of empty ones
    auto* row = rows.indices.data_ptr<std::int64_t>();
    for (std::size_t i = 0; i < sentences.size(); ++i, row += width) {
        const auto name = [&] { return sentence_name(samples, i); };
        const TokenLists::Tokens words = sentences[i];
        const std::int64_t length = length_of(words.size());
        if (length > width) {
            log_cut(name(), length, width);
        }
        const bool is_empty = words.size() == 0 && !end_;
        if (is_empty) {
            log_empty(name());
        }
        const std::int64_t kept = std::min(length, width);
        rows.lengths.data_ptr<std::int64_t>()[i] = kept;
        real.data_ptr<std::int64_t>()[i] = is_empty ? 0 : kept;
        const std::int64_t kept_words =
            std::min(kept - (end_ ? 1 : 0), static_cast<std::int64_t>(words.size()));
        for (std::int64_t j = 0; j < kept_words; ++j) {
            row[j] = unknown_.index_of(words[static_cast<std::size_t>(j)], name);
        }
        if (end_) {
            row[kept_words] = *end_;
        }
    }
    if (config_.output_masks) {
        rows.masks = at::arange(width).unsqueeze(0).lt(real.unsqueeze(1));  // -> [B, length]
    }
    return rows;
}

void SentenceIndices::log_empty(const std::string& sentence) const {
    if (!has_logged_empty_.exchange(true)) {
        setup_.log_warning(
            detail::join(sentence, " has no words: such a sentence counts as one \"", kPad, "\""));
    }
}

void SentenceIndices::log_cut(const std::string& sentence, std::int64_t length,
                              std::int64_t width) const {
    if (!has_logged_cut_.exchange(true)) {
        setup_.log_warning(detail::join(sentence, " has ", length, " indices, fixed_padding = ",
                                        width, ": the last words of longer sentences are cut off"));
    }
}

}  // namespace ptp::support
