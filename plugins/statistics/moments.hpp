// Errors of predictions and the spread of their targets, added up so that it does not matter in
// which batches they come.
#pragma once

#include <ptp/data.hpp>

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace measures {

// Of one output, over all samples so far.
struct OutputMoments {
    double absolute = 0;  // sum of |error|
    double squared = 0;   // sum of error^2
    double mean = 0;      // of the targets
    double spread = 0;    // sum of (target - mean)^2
    double lowest = 0;    // target
    double highest = 0;
};

// T. F. Chan, G. H. Golub and R. J. LeVeque, Updating Formulae and a Pairwise Algorithm for
// Computing Sample Variances, 1979: means and squares are taken of each batch around its own mean,
// and two of them are merged without the loss of digits that sums of squares have.
class Moments {
public:
    Moments() = default;
    // Both [n, outputs] doubles on the CPU, in row-major order.
    Moments(const at::Tensor& targets, const at::Tensor& predictions);

    // Throws DataError if there is not the same number of outputs.
    void merge(const Moments& other);

    [[nodiscard]] std::int64_t samples() const { return samples_; }
    // Over all numbers; nan if there are none.
    [[nodiscard]] double mean_absolute_error() const;
    [[nodiscard]] double mean_squared_error() const;
    // 1 - (sum of error^2) / (sum of (target - mean)^2), the mean over the outputs. An output with
    // equal targets has 1 if all errors are 0, else 0. nan for fewer than two samples.
    [[nodiscard]] double r_squared() const;

    [[nodiscard]] ptp::Data save() const;
    static Moments restored(const ptp::Data& saved);

private:
    [[nodiscard]] double numbers() const;

    std::int64_t samples_ = 0;
    std::vector<OutputMoments> outputs_;
};

}  // namespace measures
