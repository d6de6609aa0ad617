// Errors of predictions and the spread of their targets, added up so that it does not matter in
// which batches they come.
#pragma once

#include <ptp/data.hpp>

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace measures {

// Of one output, over all samples so far in which it counts.
struct OutputMoments {
    std::int64_t samples = 0;
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
    // On the CPU, in row-major order.
    struct Numbers {
        at::Tensor targets;      // [n, outputs], doubles
        at::Tensor predictions;  // [n, outputs], doubles
        at::Tensor counts;       // [n, outputs], bools; undefined: all count
        std::int64_t support;    // how many samples, or parts of them, these are
    };

    Moments() = default;
    explicit Moments(const Numbers& numbers);

    // Throws DataError if there is not the same number of outputs.
    void merge(const Moments& other);

    [[nodiscard]] std::int64_t support() const { return support_; }
    // Over all numbers; nan if there are none.
    [[nodiscard]] double mean_absolute_error() const;
    [[nodiscard]] double mean_squared_error() const;
    // 1 - (sum of error^2) / (sum of (target - mean)^2), the mean over the outputs. An output with
    // equal targets has 1 if all errors are 0, else 0. One that counts in fewer than two samples is
    // left out; nan if that leaves none.
    [[nodiscard]] double r_squared() const;

    [[nodiscard]] ptp::Data save() const;
    static Moments restored(const ptp::Data& saved);

private:
    [[nodiscard]] double numbers() const;

    std::int64_t support_ = 0;
    std::vector<OutputMoments> outputs_;
};

}  // namespace measures
