// Reductions over some of the places of a dimension.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace transforms {

enum class Reduction { kSum, kMean, kMin, kMax, kMedian, kArgmin, kArgmax };

struct ReductionOptions {
    Reduction how = Reduction::kSum;
    int64_t dim = 1;
    bool keepdim = false;
};

// One number for each row along the dimension, of the places where `counts` is true; `counts` has
// as many dimensions as the inputs, of size 1 after that one. Integers for a place, floating
// numbers for a mean, else the type of the inputs (a sum of integers is one of int64). What does
// not count passes on neither values nor gradients. Throws DataError if nothing counts in a row,
// unless it is a sum.
at::Tensor reduced_where(const at::Tensor& inputs, const at::Tensor& counts,
                         const ReductionOptions& options);

}  // namespace transforms
