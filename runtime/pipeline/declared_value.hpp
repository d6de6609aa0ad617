// The values of globals and the numbers of samples that a component of a plan declares.

#pragma once

#include "base/value.hpp"
#include "pipeline/plan.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace ptp::pipeline {

struct DeclaredValue {
    std::string text;            // as it is declared: "width / 2"
    std::optional<Value> value;  // with the sizes of the plan; nullopt: not known
};

// Returns the declared value of a global that the node writes; nullopt if none is declared.
std::optional<DeclaredValue> declared_value(const Plan& plan, const Node& node,
                                            const plugin::Global& global);

// Returns the number of samples that a task declares; nullopt if that is not known.
std::optional<std::int64_t> declared_sample_count(const Node& task);

// Finds the sizes of outputs that follow by a formula from sizes learnt since the plan was made: of
// the stream that a ConcatenateTensor writes, once the classes of a OneHot before it are known.
void derive_learnt_sizes(Plan& plan);

}  // namespace ptp::pipeline
