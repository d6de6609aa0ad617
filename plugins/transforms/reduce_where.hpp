// Reductions over selected positions of a dimension.
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

// Returns one number for each row along the dimension, over the positions where `counts` is true;
// `counts` has the rank of the inputs, with size 1 after that dimension. The result has integers
// for an index, floating numbers for a mean, otherwise the type of the inputs (a sum of integers is
// int64). Excluded values affect neither values nor gradients. Throws DataError if nothing counts
// in a row, unless it is a sum.
at::Tensor reduced_where(const at::Tensor& inputs, const at::Tensor& counts,
                         const ReductionOptions& options);

}  // namespace transforms
