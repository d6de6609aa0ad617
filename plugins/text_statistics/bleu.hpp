// BLEU of a corpus, computed from counts that are sums over its sentences.
//
// Papineni, Roukos, Ward and Zhu: BLEU: a method for automatic evaluation of machine translation,
// 2002; smoothing as in Chen and Cherry: A systematic comparison of smoothing techniques for
// sentence-level BLEU, 2014, with the names and numbers of sacreBLEU 2 (Post 2018, arXiv
// 1804.08771).
#pragma once

#include "sentences.hpp"

#include <ptp/state.hpp>

#include <cstdint>
#include <optional>
#include <tuple>
#include <vector>

namespace bleu {

// Counts by the number of words of an n-gram, from 1.
struct Counts {
    std::vector<int64_t> matches;  // correctly predicted n-grams, each at most as often as in the
                                   // reference that has it most often
    std::vector<int64_t> ngrams;   // predicted n-grams
    int64_t target_words = 0;      // in the reference sentences of closest length
    int64_t predicted_words = 0;

    // Adds a pair; `max_order` is the number of words of the longest n-grams.
    void add(const sentences::Pair& pair, std::size_t max_order);
    void add(const Counts& others);

    static constexpr auto state() {
        return std::tuple{ptp::kept("matches", &Counts::matches),
                          ptp::kept("ngrams", &Counts::ngrams),
                          ptp::kept("target_words", &Counts::target_words),
                          ptp::kept("predicted_words", &Counts::predicted_words)};
    }
};

enum class Smoothing { kExp, kFloor, kAddK, kNone };

struct Options {
    std::vector<double> weights;  // of the precisions; not all 0
    Smoothing smoothing = Smoothing::kExp;
    double smooth_value = 0;  // for kFloor and kAddK
    bool uses_effective_order = false;
};

// Returns a score in [0, 1]; 0 if there are no matches.
double score(const Counts& counts, const Options& options);

}  // namespace bleu
