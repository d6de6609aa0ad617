// Sums of the errors of predictions and the spread of their targets, whose result does not depend
// on the division into batches.
#pragma once

#include <ptp/data.hpp>

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace measures {

// The moments of one output, over all samples in which it counts.
struct OutputMoments {
    std::int64_t samples = 0;
    double absolute = 0;  // sum of |error|
    double squared = 0;   // sum of error^2
    double mean = 0;      // mean of the targets
    double spread = 0;    // sum of (target - mean)^2
    double lowest = 0;    // lowest target
    double highest = 0;
};

// T. F. Chan, G. H. Golub and R. J. LeVeque, Updating Formulae and a Pairwise Algorithm for
// Computing Sample Variances, 1979: means and squares of each batch are around its own mean, and
// two of them are merged without the loss of digits of sums of squares.
class Moments {
public:
    // Numbers on the CPU, in row-major order.
    struct Numbers {
        at::Tensor targets;      // [n, outputs], doubles
        at::Tensor predictions;  // [n, outputs], doubles
        at::Tensor counts;       // [n, outputs], bools; undefined: all count
        std::int64_t support;    // number of samples, or of parts of samples
    };

    Moments() = default;
    explicit Moments(const Numbers& numbers);

    // Throws DataError if the numbers of outputs differ.
    void merge(const Moments& other);

    [[nodiscard]] std::int64_t support() const { return support_; }
    // Return the mean over all numbers; nan if there are none.
    [[nodiscard]] double mean_absolute_error() const;
    [[nodiscard]] double mean_squared_error() const;
    // Returns 1 - (sum of error^2) / (sum of (target - mean)^2), the mean over the outputs. An
    // output with equal targets has 1 if all errors are 0, otherwise 0. An output that counts in
    // fewer than two samples is excluded; nan if none remains.
    [[nodiscard]] double r_squared() const;

    [[nodiscard]] ptp::Data save() const;
    static Moments restored(const ptp::Data& saved);

private:
    [[nodiscard]] double numbers() const;

    std::int64_t support_ = 0;
    std::vector<OutputMoments> outputs_;
};

}  // namespace measures
