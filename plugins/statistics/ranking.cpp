// Walks through samples that are sorted by score, those with equal scores together.

#include "ranking.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>

namespace measures {

double area_under_roc(std::vector<Ranked> ranked) {
    std::ranges::sort(ranked, {}, &Ranked::score);
    double below = 0;  // negatives with a lower score; integers, exact up to 2^53
    double positives = 0;
    double won = 0;
    for (std::size_t begin = 0; begin < ranked.size();) {
        std::size_t end = begin;
        double equal[2] = {0, 0};  // negatives and positives with this score
        for (; end < ranked.size() && ranked[end].score == ranked[begin].score; ++end) {
            equal[ranked[end].is_positive ? 1 : 0] += 1;
        }
        won += equal[1] * (below + equal[0] / 2);
        below += equal[0];
        positives += equal[1];
        begin = end;
    }
    const double pairs = positives * below;
    return pairs == 0 ? std::numeric_limits<double>::quiet_NaN() : won / pairs;
}

double average_precision(std::vector<Ranked> ranked) {
    std::ranges::sort(ranked, std::ranges::greater(), &Ranked::score);
    double above = 0;  // positives among the first `end` samples
    double sum = 0;
    for (std::size_t begin = 0, end = 0; begin < ranked.size(); begin = end) {
        double equal = 0;  // positives with this score
        for (; end < ranked.size() && ranked[end].score == ranked[begin].score; ++end) {
            equal += ranked[end].is_positive ? 1 : 0;
        }
        above += equal;
        sum += equal * above / static_cast<double>(end);
    }
    return above == 0 ? std::numeric_limits<double>::quiet_NaN() : sum / above;
}

std::vector<double> probabilities(const std::vector<double>& scores, std::int64_t width) {
    std::vector<double> shares(scores.size());
    const auto size = static_cast<std::size_t>(width);
    for (std::size_t row = 0; row < scores.size(); row += size) {
        const double most = *std::max_element(&scores[row], &scores[row] + size);
        double sum = 0;
        for (std::size_t i = row; i < row + size; ++i) {
            shares[i] = scores[i] == most ? 1 : std::exp(scores[i] - most);
            sum += shares[i];
        }
        for (std::size_t i = row; i < row + size; ++i) {
            shares[i] /= sum;
        }
    }
    return shares;
}

bool are_raw(const std::vector<double>& scores, std::int64_t width) {
    constexpr double kRounding = 1e-2;  // of a sum of probabilities in half precision
    if (std::ranges::all_of(scores, [](double score) { return score >= 0 && score <= 1; })) {
        return false;
    }
    const auto size = static_cast<std::size_t>(width);
    for (std::size_t row = 0; row < scores.size(); row += size) {
        double sum = 0;
        for (std::size_t i = row; i < row + size; ++i) {
            sum += std::exp(scores[i]);
        }
        if (!(std::abs(sum - 1) <= kRounding)) {
            return true;
        }
    }
    return false;
}

}  // namespace measures
