// What a component that trusts no tensor asks of it. Each throws a ptp::DataError that states which
// tensor, where in it, what the value is and what it must be: "targets[3, 1] = 7: must be in [0,
// 5)".
//
// To learn of an element the device is waited for, once a call.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>

namespace ptp::support {

// Requires these sizes; `like` names whose they are: "as predictions has".
void require_sizes(const char* name, const at::Tensor& tensor, at::IntArrayRef sizes,
                   const char* like);

// Requires the sizes that the port of an input declares, where kAnySize is any: "inputs has the
// sizes [4, 1, 32, 33], must have [any, 1, 32, 32], as its port declares". The host compares the
// streams of a training; what else calls a component, as a test, may be wrong.
inline constexpr std::int64_t kAnySize = -1;
void require_declared_sizes(const char* name, const at::Tensor& tensor, at::IntArrayRef sizes);

// Requires that `is_wrong`, a bool for each element, is false for all. `rule` ends the sentence
// that begins with "must".
void require_none(const at::Tensor& is_wrong, const char* name, const at::Tensor& tensor,
                  const std::string& rule);

// Integers of however few bits, as they are compared with a number that these may not hold: 300 is
// 44 in eight bits.
inline at::Tensor widened(const at::Tensor& integers) {
    return integers.to(at::kLong);
}

// For each integer whether it is not in [first, end).
at::Tensor are_outside(const at::Tensor& integers, std::int64_t first, std::int64_t end);

// Whether all integers are in [0, classes). One pass, for the usual case that all are right.
bool are_classes(const at::Tensor& numbers, std::int64_t classes);

// Targets that are numbers of classes.
struct ClassTargets {
    const char* name;
    const at::Tensor& targets;
    const at::Tensor& counted;  // bool, of the same sizes: the others may be anything
    std::int64_t classes;       // how many there are
    std::string others;         // what else is allowed there, for the message; "" if nothing
};

// Requires that each one that counts is a class.
void require_classes(const ClassTargets& of);

}  // namespace ptp::support
