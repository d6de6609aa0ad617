// The state that a part of a training saves so that another process can continue exactly from
// there.

#pragma once

#include "base/value.hpp"
#include "run/keys.hpp"

#include <ATen/core/Tensor.h>

#include <string>
#include <utility>
#include <vector>

namespace ptp::engine {

using TensorsByName = std::vector<std::pair<std::string, at::Tensor>>;

// The saved state of one part, which alone knows the meaning of the names. No value is rounded:
// reals are written with enough digits to restore the same bits.
struct SavedState {
    Value record = Value::table();
    TensorsByName tensors;
};

// Replaces each tensor by a copy of its own, which training does not change.
void copy_tensors(TensorsByName& tensors);

// Adds a part to a whole: the record holds a table for each, and tensors are "<part>/<name>".
void add_part(SavedState& whole, const std::string& part, SavedState saved);

// Returns a part. Throws RunError with kDataError if the whole has no such part.
SavedState part_of(const SavedState& whole, const std::string& part);

// Returns those named "<part>/...", without this prefix.
TensorsByName tensors_below(const TensorsByName& tensors, const std::string& part);

// Returns a value of a record. Throws RunError (kDataError) if it is missing or has another type.
using run::integer_in;
using run::real_in;

}  // namespace ptp::engine
