// What a part of a training hands over so that another process can continue exactly where it was.

#pragma once

#include "base/value.hpp"
#include "run/keys.hpp"

#include <ATen/core/Tensor.h>

#include <string>
#include <utility>
#include <vector>

namespace ptp::engine {

using TensorsByName = std::vector<std::pair<std::string, at::Tensor>>;

// A part fills one and takes it back; only it knows what the names mean. Nothing is rounded on the
// way: reals are written with the digits that read back to the same bits.
struct SavedState {
    Value record = Value::table();
    TensorsByName tensors;
};

// Each tensor becomes a copy of its own, which nothing that trains changes.
void copy_tensors(TensorsByName& tensors);

// A whole of named parts: the record holds a table for each, and tensors are "<part>/<name>".
void add_part(SavedState& whole, const std::string& part, SavedState saved);

// Throws RunError with kDataError if the whole has no such part.
SavedState part_of(const SavedState& whole, const std::string& part);

// A value of a record. Throws RunError with kDataError if it is not there or has another type.
using run::integer_in;
using run::real_in;

}  // namespace ptp::engine
