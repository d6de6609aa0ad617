// Counts the n-grams of sentences and their references, and computes BLEU from the sums.

#include "bleu.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>
#include <utility>

namespace bleu {

namespace {

using Ngram = std::span<const int64_t>;

bool is_before(Ngram a, Ngram b) {
    return std::ranges::lexicographical_compare(a, b);
}

std::vector<Ngram> sorted_ngrams(const sentences::Sentence& sentence, std::size_t order) {
    std::vector<Ngram> ngrams;
    for (std::size_t i = 0; i + order <= sentence.size(); ++i) {
        ngrams.push_back(Ngram(sentence).subspan(i, order));
    }
    std::ranges::sort(ngrams, is_before);
    return ngrams;
}

// Returns the n-grams of all reference sentences: each as often as in the one that has it most
// often.
std::vector<Ngram> right_ngrams(const sentences::Pair& pair, std::size_t order) {
    std::vector<Ngram> all = sorted_ngrams(pair.target, order);
    for (const sentences::Sentence& reference : pair.references) {
        std::vector<Ngram> both;
        std::ranges::set_union(all, sorted_ngrams(reference, order), std::back_inserter(both),
                               is_before);
        all = std::move(both);
    }
    return all;
}

// Returns the length of the reference sentence with the closest length, the shorter one of two.
std::size_t closest_length(const sentences::Pair& pair) {
    const std::size_t predicted = pair.prediction.size();
    const auto distance = [&](std::size_t length) {
        return std::pair(length < predicted ? predicted - length : length - predicted, length);
    };
    std::size_t closest = pair.target.size();
    for (const sentences::Sentence& reference : pair.references) {
        closest = std::min(closest, reference.size(), [&](std::size_t left, std::size_t right) {
            return distance(left) < distance(right);
        });
    }
    return closest;
}

// Returns the precision of each order, up to the first order without n-grams.
std::vector<double> precisions(const Counts& counts, const Options& options) {
    std::vector<double> result;
    double halves = 1;
    for (std::size_t i = 0; i < counts.ngrams.size(); ++i) {
        const double added =
            options.smoothing == Smoothing::kAddK && i > 0 ? options.smooth_value : 0.0;
        const double right = static_cast<double>(counts.matches[i]) + added;
        const double all = static_cast<double>(counts.ngrams[i]) + added;
        if (all == 0) {
            break;
        }
        if (right > 0) {
            result.push_back(right / all);
        } else if (options.smoothing == Smoothing::kExp) {
            halves *= 2;
            result.push_back(1 / (halves * all));
        } else {
            result.push_back(options.smoothing == Smoothing::kFloor ? options.smooth_value / all
                                                                    : 0);
        }
    }
    return result;
}

// Returns the penalty for predictions that are shorter than the targets, over the whole corpus.
double brevity_penalty(const Counts& counts) {
    const auto target = static_cast<double>(counts.target_words);
    const auto predicted = static_cast<double>(counts.predicted_words);
    return predicted < target ? std::exp(1 - target / predicted) : 1;
}

}  // namespace

void Counts::add(const sentences::Pair& pair, std::size_t max_order) {
    matches.resize(max_order);
    ngrams.resize(max_order);
    for (std::size_t order = 1; order <= max_order; ++order) {
        const std::vector<Ngram> predicted = sorted_ngrams(pair.prediction, order);
        const std::vector<Ngram> right = right_ngrams(pair, order);
        std::vector<Ngram> common;  // with the smaller count of equal ones
        std::ranges::set_intersection(predicted, right, std::back_inserter(common), is_before);
        matches[order - 1] += static_cast<int64_t>(common.size());
        ngrams[order - 1] += static_cast<int64_t>(predicted.size());
    }
    target_words += static_cast<int64_t>(closest_length(pair));
    predicted_words += static_cast<int64_t>(pair.prediction.size());
}

void Counts::add(const Counts& others) {
    const std::size_t orders = std::max(matches.size(), others.matches.size());
    matches.resize(orders);
    ngrams.resize(orders);
    for (std::size_t i = 0; i < others.matches.size(); ++i) {
        matches[i] += others.matches[i];
        ngrams[i] += others.ngrams[i];
    }
    target_words += others.target_words;
    predicted_words += others.predicted_words;
}

double score(const Counts& counts, const Options& options) {
    if (std::ranges::all_of(counts.matches, [](int64_t count) { return count == 0; })) {
        return 0;
    }
    const std::vector<double> each = precisions(counts, options);
    if (each.size() < counts.ngrams.size() && !options.uses_effective_order) {
        return 0;
    }
    double sum = 0;
    double weights = 0;
    // Counts of another build may have more orders.
    for (std::size_t i = 0; i < std::min(each.size(), options.weights.size()); ++i) {
        const double weight = options.weights[i];
        if (weight > 0 && each[i] == 0) {
            return 0;
        }
        sum += weight > 0 ? weight * std::log(each[i]) : 0;
        weights += weight;
    }
    return weights == 0 ? 0 : brevity_penalty(counts) * std::exp(sum / weights);
}

}  // namespace bleu
