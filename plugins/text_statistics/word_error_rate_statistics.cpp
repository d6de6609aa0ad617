// WordErrorRateStatistics: the share of words of the targets that were not recognized.
//
// As in speech recognition: NIST's sclite, (S + D + I) / N.

#include "edits.hpp"

#include <ptp/by_set.hpp>
#include <ptp/component.hpp>

#include <algorithm>
#include <limits>
#include <span>
#include <vector>

class WordErrorRateStatistics {
public:
    static constexpr ptp_kind kind = PTP_STATISTIC;
    static constexpr const char* name = "WordErrorRateStatistics";
    static constexpr const char* summary = "Share of words to change in predicted sentences";
    static constexpr const char* description =
        "word_error_rate = (replaced + deleted + inserted words) / words of the targets, where the "
        "changes are the fewest that make each prediction of its target (Levenshtein's distance "
        "over words), as NIST's sclite and jiwer have it. It may exceed 1. That of a set is of all "
        "its words together, not a mean over its sentences or batches; nan where the targets have "
        "no words.\n"
        "Sentences are lists of words (use_tokens), indices of a vocabulary, or scores of its "
        "words: the highest is the prediction, the first of equal ones, and nan among them a word "
        "that is never right. What follows the first of end_words is left out, and then "
        "ignored_words are.\n"
        "The value of a sample, where a run records it, is the rate of its sentence alone, nan "
        "where its target has no words.";

    static constexpr std::array ports = sentences::kPorts;
    static constexpr std::array globals{sentences::kWordMappings};
    static constexpr std::array statistics{
        ptp::computed("word_error_rate", "Words to change, as a share of those of the targets")
            .decimals(6)
            .weighted_by("support")
            .spread()
            .smaller_is_better(),
        ptp::sum("support", "Number of words of the targets").hidden().integer()};
    static constexpr std::array sample_values{"word_error_rate"};
    using Config = sentences::SentenceConfig;

    WordErrorRateStatistics(const Config& config, ptp::Setup& setup) : reader_(config, setup) {}

    void forward(const at::Tensor* target_indices, const ptp::TokenLists* target_tokens,
                 const at::Tensor* scores, const at::Tensor* indices, const ptp::TokenLists* tokens,
                 const ptp::Step& step) {
        batch_ = {};
        each_.clear();
        for (const sentences::Pair& pair :
             reader_.read({target_indices, target_tokens, scores, indices, tokens})) {
            each_.push_back({.changes = sentences::edit_distance(pair),
                             .words = static_cast<int64_t>(pair.target.size())});
            batch_.changes += each_.back().changes;
            batch_.words += each_.back().words;
        }
        Count& set = sets_[step.set()];
        set.changes += batch_.changes;
        set.words += batch_.words;
    }

    static constexpr auto state() { return ptp::kept(&WordErrorRateStatistics::sets_); }

    std::array<double, 2> collect(uint64_t) const { return numbers(batch_); }
    std::array<double, 2> aggregate(uint64_t set) { return numbers(sets_[set]); }
    void reset(uint64_t set) { sets_.reset(set); }

    // Writes the rate of each sentence of the last batch.
    void collect_samples(uint64_t samples, std::span<double> out) const {
        for (std::size_t i = 0; i < std::min<std::size_t>(samples, each_.size()); ++i) {
            out[i] = numbers(each_[i])[0];
        }
    }

private:
    struct Count {
        int64_t changes = 0;
        int64_t words = 0;

        static constexpr auto state() {
            return std::tuple{ptp::kept("changes", &Count::changes),
                              ptp::kept("words", &Count::words)};
        }
    };

    static std::array<double, 2> numbers(const Count& count) {
        const auto words = static_cast<double>(count.words);
        return {count.words == 0 ? std::numeric_limits<double>::quiet_NaN()
                                 : static_cast<double>(count.changes) / words,
                words};
    }

    sentences::Reader reader_;
    Count batch_;
    std::vector<Count> each_;  // of the sentences of the last batch
    ptp::BySet<Count> sets_;
};

template const ptp_component_info& ptp::component<WordErrorRateStatistics>();
