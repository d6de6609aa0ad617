// How often which class was taken for which, and what follows from it. Formulas as in
// scikit-learn's precision_recall_fscore_support.
#pragma once

#include <ptp/data.hpp>

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace measures {

struct Scores {
    double precision = 0;  // right ones among those predicted; 0 if none is
    double recall = 0;     // right ones among the targets; 0 if there are none
    double f1score = 0;    // harmonic mean of the two; 0 if both are
    std::int64_t support = 0;
};

struct Averages {
    Scores weighted;  // over the classes, by their targets
    Scores macro;     // over the classes that are among targets or predictions, all alike
    Scores micro;     // of all targets together
};

// Row: target, column: prediction. After the classes come a row and a column for kNoClass.
class ConfusionMatrix {
public:
    ConfusionMatrix() = default;
    explicit ConfusionMatrix(std::int64_t classes);

    // Adds the places that `counted`, a bool of the same sizes, has; targets and predictions are
    // classes or kNoClass. Waits for their device once. False, and nothing is added, if one that
    // counts is neither.
    [[nodiscard]] bool add(const at::Tensor& targets, const at::Tensor& predicted,
                           const at::Tensor& counted);
    // One of the same classes.
    void add(const ConfusionMatrix& other);

    [[nodiscard]] std::int64_t classes() const { return classes_; }
    [[nodiscard]] std::int64_t count(std::int64_t target, std::int64_t predicted) const;
    [[nodiscard]] bool has_no_class() const;  // anything in the last row or column
    [[nodiscard]] std::int64_t total() const;
    [[nodiscard]] Scores of_class(std::int64_t number) const;
    [[nodiscard]] Averages averages() const;

    [[nodiscard]] ptp::Data save() const;
    // Throws ConfigError if it is not what save() gave.
    static ConfusionMatrix restored(const ptp::Data& saved);

private:
    [[nodiscard]] std::int64_t row_sum(std::int64_t target) const;
    [[nodiscard]] std::int64_t column_sum(std::int64_t predicted) const;

    std::int64_t classes_ = 0;
    std::vector<std::int64_t> counts_;  // (classes + 1)^2, row by row
};

}  // namespace measures
