// A confusion matrix and the scores derived from it. Formulas as in scikit-learn's
// precision_recall_fscore_support.
#pragma once

#include <ptp/data.hpp>

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace measures {

struct Scores {
    double precision = 0;  // correct ones among the predictions; 0 if there are none
    double recall = 0;     // correct ones among the targets; 0 if there are none
    double f1score = 0;    // harmonic mean of the two; 0 if both are
    std::int64_t support = 0;
};

struct Averages {
    Scores weighted;  // over the classes, weighted by their targets
    Scores macro;     // over the classes among targets or predictions, unweighted
    Scores micro;     // over all targets together
};

// Row: target, column: prediction. After the classes come a row and a column for kNoClass.
class ConfusionMatrix {
public:
    ConfusionMatrix() = default;
    explicit ConfusionMatrix(std::int64_t classes);

    // Adds the pairs that `counted`, a bool of the same sizes, selects; targets and predictions are
    // classes or kNoClass. Waits for their device once. Returns false, and adds nothing, if a
    // counted one is neither.
    [[nodiscard]] bool add(const at::Tensor& targets, const at::Tensor& predicted,
                           const at::Tensor& counted);
    // Adds a matrix with the same classes.
    void add(const ConfusionMatrix& other);

    [[nodiscard]] std::int64_t classes() const { return classes_; }
    [[nodiscard]] std::int64_t count(std::int64_t target, std::int64_t predicted) const;
    [[nodiscard]] std::int64_t row_sum(std::int64_t target) const;
    [[nodiscard]] std::int64_t column_sum(std::int64_t predicted) const;
    [[nodiscard]] bool has_no_class() const;  // true if the last row or column is not 0
    [[nodiscard]] std::int64_t total() const;
    [[nodiscard]] Scores of_class(std::int64_t number) const;
    [[nodiscard]] Averages averages() const;

    [[nodiscard]] ptp::Data save() const;
    // Throws ConfigError for data that save() did not return.
    static ConfusionMatrix restored(const ptp::Data& saved);

private:
    std::int64_t classes_ = 0;
    std::vector<std::int64_t> counts_;  // (classes + 1)^2, row by row
};

}  // namespace measures
