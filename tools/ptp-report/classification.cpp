// Computes the measures of a classification.

#include "ptp-report/classification.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace ptp::report {

namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
constexpr double kSumTolerance = 1e-3;  // of probabilities in float32

double ratio(std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? kUnknown : static_cast<double>(part) / static_cast<double>(whole);
}

bool is_probabilities(const std::vector<float>& scores, std::size_t classes) {
    for (std::size_t begin = 0; begin < scores.size(); begin += classes) {
        double sum = 0;
        for (std::size_t i = begin; i < begin + classes; ++i) {
            if (scores[i] < 0) {
                return false;
            }
            sum += scores[i];
        }
        if (std::abs(sum - 1) > kSumTolerance) {  // false for nan, which decides nothing
            return false;
        }
    }
    return true;
}

void soften(std::span<double> row) {
    const double highest = *std::ranges::max_element(row);
    double sum = 0;
    for (double& value : row) {
        value = std::exp(value - highest);
        sum += value;
    }
    for (double& value : row) {
        value /= sum;
    }
}

bool has_nan(std::span<const double> row) {
    return std::ranges::any_of(row, [](double value) { return std::isnan(value); });
}

void add_to(CalibrationBin& bin, double confidence, bool is_right) {
    ++bin.count;
    bin.confidence += confidence;
    bin.accuracy += is_right ? 1 : 0;
}

Calibration finished(std::vector<CalibrationBin> bins, std::vector<std::int64_t> bin_of) {
    Calibration result{.bins = std::move(bins), .bin_of = std::move(bin_of)};
    std::uint64_t count = 0;
    for (CalibrationBin& bin : result.bins) {
        if (bin.count > 0) {
            bin.confidence /= static_cast<double>(bin.count);
            bin.accuracy /= static_cast<double>(bin.count);
            result.error +=
                static_cast<double>(bin.count) * std::abs(bin.accuracy - bin.confidence);
            count += bin.count;
        }
    }
    result.error = count == 0 ? kUnknown : result.error / static_cast<double>(count);
    return result;
}

// The numbers of positive and negative samples with at least a score, for each score.
struct Steps {
    std::vector<double> thresholds = {};  // falling
    std::vector<double> positives = {};
    std::vector<double> negatives = {};
};

Steps steps_of(std::span<const double> scores, const std::vector<bool>& is_positive,
               std::span<const std::uint32_t> order) {
    Steps steps;
    double positives = 0;
    double negatives = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
        (is_positive[order[i]] ? positives : negatives) += 1;
        if (i + 1 == order.size() || scores[order[i + 1]] != scores[order[i]]) {
            steps.thresholds.push_back(scores[order[i]]);
            steps.positives.push_back(positives);
            steps.negatives.push_back(negatives);
        }
    }
    return steps;
}

// Returns a number whose order is that of the scores, reversed; -0 and 0 have the same.
std::uint64_t falling_key(double score) {
    const auto bits = std::bit_cast<std::uint64_t>(score == 0 ? 0.0 : score);
    constexpr std::uint64_t kSign = std::uint64_t{1} << 63U;
    return (bits & kSign) != 0 ? bits : ~bits & ~kSign;
}

RateCurve roc_curve(const Steps& steps) {
    RateCurve curve{.x = {0},
                    .y = {0},
                    .thresholds = {std::numeric_limits<double>::infinity()},
                    .area = kUnknown};
    if (steps.thresholds.empty() || steps.positives.back() == 0 || steps.negatives.back() == 0) {
        return curve;
    }
    curve.area = 0;
    for (std::size_t i = 0; i < steps.thresholds.size(); ++i) {
        curve.x.push_back(steps.negatives[i] / steps.negatives.back());
        curve.y.push_back(steps.positives[i] / steps.positives.back());
        curve.thresholds.push_back(steps.thresholds[i]);
        curve.area += (curve.x[i + 1] - curve.x[i]) * (curve.y[i + 1] + curve.y[i]) / 2;
    }
    return curve;
}

RateCurve precision_recall_curve(const Steps& steps) {
    RateCurve curve{.area = kUnknown};
    if (steps.thresholds.empty() || steps.positives.back() == 0) {
        return curve;
    }
    curve.area = 0;
    double before = 0;
    for (std::size_t i = 0; i < steps.thresholds.size(); ++i) {
        curve.x.push_back(steps.positives[i] / steps.positives.back());
        curve.y.push_back(steps.positives[i] / (steps.positives[i] + steps.negatives[i]));
        curve.thresholds.push_back(steps.thresholds[i]);
        curve.area += (curve.x[i] - before) * curve.y[i];
        before = curve.x[i];
    }
    return curve;
}

}  // namespace

Probabilities probabilities_of(const std::vector<float>& scores, std::size_t classes) {
    Probabilities result{.classes = classes, .values = {scores.begin(), scores.end()}};
    const bool is_done = is_probabilities(scores, classes);
    for (std::size_t begin = 0; classes > 0 && begin + classes <= scores.size(); begin += classes) {
        const std::span<double> row = std::span(result.values).subspan(begin, classes);
        if (has_nan(row)) {
            std::ranges::fill(row, kUnknown);
        } else if (!is_done) {
            soften(row);
        }
    }
    return result;
}

std::int64_t predicted_class(std::span<const double> row) {
    return row.empty() || has_nan(row) ? -1 : std::ranges::max_element(row) - row.begin();
}

Confusion confusion_of(std::span<const std::int64_t> targets,
                       std::span<const std::int64_t> predicted, std::size_t classes) {
    Confusion confusion{.classes = classes,
                        .counts = std::vector<std::uint64_t>(classes * classes)};
    const auto is_class = [&](std::int64_t number) {
        return number >= 0 && static_cast<std::size_t>(number) < classes;
    };
    for (std::size_t i = 0; i < targets.size(); ++i) {
        if (is_class(targets[i]) && is_class(predicted[i])) {
            ++confusion.counts[static_cast<std::size_t>(targets[i]) * classes +
                               static_cast<std::size_t>(predicted[i])];
        } else {
            ++confusion.left_out;
        }
    }
    return confusion;
}

std::vector<ClassMeasures> class_measures(const Confusion& confusion) {
    std::vector<ClassMeasures> measures(confusion.classes);
    const std::uint64_t all =
        std::accumulate(confusion.counts.begin(), confusion.counts.end(), std::uint64_t{0});
    for (std::size_t i = 0; i < confusion.classes; ++i) {
        for (std::size_t j = 0; j < confusion.classes; ++j) {
            measures[i].support += confusion.at(i, j);
            measures[i].predicted += confusion.at(j, i);
        }
        ClassMeasures& one = measures[i];
        const std::uint64_t right = confusion.at(i, i);
        const std::uint64_t wrongly_predicted = one.predicted - right;
        const std::uint64_t others = all - one.support;
        one.precision = ratio(right, one.predicted);
        one.recall = ratio(right, one.support);
        one.f1 = ratio(2 * right, one.predicted + one.support);
        one.specificity = ratio(others - wrongly_predicted, others);
        one.negative_precision = ratio(others - wrongly_predicted, all - one.predicted);
        one.false_positive_rate = ratio(wrongly_predicted, others);
        one.false_negative_rate = ratio(one.support - right, one.support);
        one.false_discovery_rate = ratio(wrongly_predicted, one.predicted);
    }
    return measures;
}

Calibration equal_width(std::span<const double> confidences, const std::vector<bool>& is_right,
                        std::size_t bins) {
    std::vector<CalibrationBin> result(bins);
    for (std::size_t i = 0; i < bins; ++i) {
        result[i].low = static_cast<double>(i) / static_cast<double>(bins);
        result[i].high = static_cast<double>(i + 1) / static_cast<double>(bins);
    }
    std::vector<std::int64_t> bin_of(confidences.size(), -1);
    for (std::size_t i = 0; i < confidences.size(); ++i) {
        if (std::isnan(confidences[i])) {
            continue;
        }
        const auto found =
            std::ranges::lower_bound(result, confidences[i], {}, &CalibrationBin::high);
        const auto bin = found == result.end() ? found - 1 : found;
        add_to(*bin, confidences[i], is_right[i]);
        bin_of[i] = bin - result.begin();
    }
    return finished(std::move(result), std::move(bin_of));
}

Calibration equal_mass(std::span<const double> confidences, const std::vector<bool>& is_right,
                       std::size_t bins) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < confidences.size(); ++i) {
        if (!std::isnan(confidences[i])) {
            order.push_back(i);
        }
    }
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return confidences[i]; });
    std::vector<CalibrationBin> result(bins);
    std::vector<std::int64_t> bin_of(confidences.size(), -1);
    for (std::size_t k = 0; k < bins; ++k) {
        const std::size_t end = (k + 1) * order.size() / bins;
        for (std::size_t i = k * order.size() / bins; i < end; ++i) {
            result[k].low = result[k].count == 0 ? confidences[order[i]] : result[k].low;
            result[k].high = confidences[order[i]];
            add_to(result[k], confidences[order[i]], is_right[order[i]]);
            bin_of[order[i]] = static_cast<std::int64_t>(k);
        }
    }
    return finished(std::move(result), std::move(bin_of));
}

double brier_score(const Probabilities& probabilities, std::span<const std::int64_t> targets) {
    double sum = 0;
    std::size_t count = 0;
    for (std::size_t i = 0; i < targets.size(); ++i) {
        const std::span<const double> row = probabilities.row(i);
        if (targets[i] < 0 || static_cast<std::size_t>(targets[i]) >= row.size() || has_nan(row)) {
            continue;
        }
        ++count;
        for (std::size_t j = 0; j < row.size(); ++j) {
            const double wanted = static_cast<std::size_t>(targets[i]) == j ? 1 : 0;
            sum += (row[j] - wanted) * (row[j] - wanted);
        }
    }
    const double scale = probabilities.classes == 2 ? 2 : 1;
    return count == 0 ? kUnknown : sum / static_cast<double>(count) / scale;
}

std::vector<std::uint32_t> by_falling_score(std::span<const double> scores) {
    struct Keyed {
        std::uint64_t key;
        std::uint32_t place;
    };
    std::vector<Keyed> keyed;
    keyed.reserve(scores.size());
    for (std::size_t i = 0; i < scores.size(); ++i) {
        if (!std::isnan(scores[i])) {
            keyed.push_back({falling_key(scores[i]), static_cast<std::uint32_t>(i)});
        }
    }
    // By the digits of the keys, from the lowest on: several times faster than comparing them.
    constexpr unsigned kDigitBits = 11;
    constexpr std::size_t kDigits = std::size_t{1} << kDigitBits;
    std::vector<Keyed> sorted(keyed.size());
    for (unsigned shift = 0; shift < 64; shift += kDigitBits) {
        std::array<std::size_t, kDigits + 1> begins{};
        for (const Keyed& one : keyed) {
            ++begins[((one.key >> shift) & (kDigits - 1)) + 1];
        }
        std::partial_sum(begins.begin(), begins.end(), begins.begin());
        for (const Keyed& one : keyed) {
            sorted[begins[(one.key >> shift) & (kDigits - 1)]++] = one;
        }
        keyed.swap(sorted);
    }
    std::vector<std::uint32_t> order(keyed.size());
    std::ranges::transform(keyed, order.begin(), &Keyed::place);
    return order;
}

RateCurves rate_curves(std::span<const double> scores, const std::vector<bool>& is_positive,
                       std::span<const std::uint32_t> order) {
    const Steps steps = steps_of(scores, is_positive, order);
    return {.roc = roc_curve(steps), .precision = precision_recall_curve(steps)};
}

}  // namespace ptp::report
