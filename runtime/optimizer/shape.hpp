#pragma once

namespace ptp::optimizer {

// The shape of a tensor that an optimizer keeps.
enum class Shape {
    kParameter,      // of the parameter to which it belongs
    kAllParameters,  // all parameters, flattened and concatenated
    kScalar,
};

}  // namespace ptp::optimizer
