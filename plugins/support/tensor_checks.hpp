// Checks of the tensors that a component receives. Each throws a ptp::DataError with the tensor,
// the index, the value and the requirement: "targets[3, 1] = 7: must be in [0, 5)".
//
// Reading elements waits for the device, once per call.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>

namespace ptp::support {

// Requires these sizes; `like` names their origin: "as predictions has".
void require_sizes(const char* name, const at::Tensor& tensor, at::IntArrayRef sizes,
                   const char* like);

// Requires the sizes declared by the port of an input, where kAnySize is any: "inputs has the sizes
// [4, 1, 32, 33], must have [any, 1, 32, 32], as its port declares". The host checks the streams of
// a training; other callers, such as tests, may be wrong.
inline constexpr std::int64_t kAnySize = -1;
void require_declared_sizes(const char* name, const at::Tensor& tensor, at::IntArrayRef sizes);

// Requires that `is_wrong`, a bool for each element, is false for all. `rule` continues the
// sentence after "must".
void require_none(const at::Tensor& is_wrong, const char* name, const at::Tensor& tensor,
                  const std::string& rule);

// Widens integers for comparisons with numbers that do not fit into their type: 300 is 44 in eight
// bits.
inline at::Tensor widened(const at::Tensor& integers) {
    return integers.to(at::kLong);
}

// Returns for each integer whether it is outside of [first, end).
at::Tensor are_outside(const at::Tensor& integers, std::int64_t first, std::int64_t end);

// Returns whether all integers are in [0, classes), in one pass over them.
bool are_classes(const at::Tensor& numbers, std::int64_t classes);

// Targets that are numbers of classes.
struct ClassTargets {
    const char* name;
    const at::Tensor& targets;
    const at::Tensor& counted;  // bool, of the same sizes: the others are arbitrary
    std::int64_t classes;       // number of classes
    std::string others;         // other valid targets, for the message; "" if there are none
};

// Requires that each counted target is a class.
void require_classes(const ClassTargets& of);

}  // namespace ptp::support
