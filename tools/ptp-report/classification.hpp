// The measures of a classification, as scikit-learn defines them: confusion matrix, precision,
// recall and F1 of each class, calibration, Brier score, and ROC and precision-recall curves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ptp::report {

// Probabilities of samples, a row for each.
struct Probabilities {
    std::size_t classes = 0;
    std::vector<double> values = {};

    [[nodiscard]] std::size_t count() const { return classes == 0 ? 0 : values.size() / classes; }
    [[nodiscard]] std::span<const double> row(std::size_t sample) const {
        return std::span(values).subspan(sample * classes, classes);
    }
};

// Returns the scores of each sample as probabilities: as they are if all rows are non-negative and
// sum to 1 within 1e-3, otherwise their softmax, which leaves log-probabilities exact. A row with a
// nan is nan.
Probabilities probabilities_of(const std::vector<float>& scores, std::size_t classes);

// Returns the first class with the highest probability; -1 for a row with a nan.
std::int64_t predicted_class(std::span<const double> row);

// The measures of one class against all others; a rate of nothing is nan.
struct ClassMeasures {
    double precision = 0;             // of what is predicted as the class
    double recall = 0;                // of the samples of the class
    double f1 = 0;                    // nan: the class is neither given nor predicted
    double specificity = 0;           // of the samples of other classes
    double negative_precision = 0;    // of what is not predicted as the class
    double false_positive_rate = 0;   // 1 - specificity
    double false_negative_rate = 0;   // 1 - recall
    double false_discovery_rate = 0;  // 1 - precision
    std::uint64_t support = 0;
    std::uint64_t predicted = 0;
};

// Counts of samples by target and predicted class; others than 0 to classes - 1 do not count.
struct Confusion {
    std::size_t classes = 0;
    std::vector<std::uint64_t> counts = {};  // [target][predicted]
    std::uint64_t left_out = 0;

    [[nodiscard]] std::uint64_t at(std::size_t target, std::size_t predicted) const {
        return counts[target * classes + predicted];
    }
};
Confusion confusion_of(std::span<const std::int64_t> targets,
                       std::span<const std::int64_t> predicted, std::size_t classes);
std::vector<ClassMeasures> class_measures(const Confusion& confusion);

// A bin of a reliability diagram: the samples whose highest probability is in (low, high].
struct CalibrationBin {
    double low = 0;
    double high = 0;
    std::uint64_t count = 0;
    double confidence = 0;  // means; 0 for an empty bin
    double accuracy = 0;
};
struct Calibration {
    std::vector<CalibrationBin> bins = {};
    std::vector<std::int64_t> bin_of = {};  // of each sample; -1: its confidence is nan
    double error = 0;  // ECE: mean of |accuracy - confidence|, weighted by the counts; nan for none
};

// Bins of equal width, the first with 0 too (Naeini et al. 2015; Guo et al. 2017).
Calibration equal_width(std::span<const double> confidences, const std::vector<bool>& is_right,
                        std::size_t bins);
// Bins of equal numbers of samples in the order of their confidence: bin k has those from
// floor(k N / bins) on. Equal confidences stay in the order of the samples.
Calibration equal_mass(std::span<const double> confidences, const std::vector<bool>& is_right,
                       std::size_t bins);

// Returns the mean over samples of the sum of squared differences to the one-hot target; for two
// classes half of it, which is the score of the one probability. nan without samples.
double brier_score(const Probabilities& probabilities, std::span<const std::int64_t> targets);

// Points of a curve. In a ROC curve x is the rate of false positives, y of true ones, from (0, 0);
// in a precision-recall curve x is the recall and y the precision, by rising recall.
struct RateCurve {
    std::vector<double> x = {};
    std::vector<double> y = {};
    std::vector<double> thresholds = {};  // the lowest score that counts as positive
    double area = 0;                      // nan if one side has no samples
};

struct RateCurves {
    RateCurve roc = {};
    RateCurve precision = {};
};

// Returns the places of the scores by falling score, equal ones as they are, those of nan left out.
std::vector<std::uint32_t> by_falling_score(std::span<const double> scores);

// Equal scores are one point. The area of the ROC is by trapezoids; of precision-recall the average
// precision, a sum of steps. `order` is that of by_falling_score().
RateCurves rate_curves(std::span<const double> scores, const std::vector<bool>& is_positive,
                       std::span<const std::uint32_t> order);

}  // namespace ptp::report
