#pragma once

namespace ptp::optimizer {

// The shape of a tensor that an optimizer keeps.
enum class Shape {
    kParameter,      // that of its parameter
    kAllParameters,  // all parameters, flattened and concatenated
    kScalar,
};

}  // namespace ptp::optimizer
