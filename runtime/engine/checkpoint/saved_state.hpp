// What a part of a training hands over so that another process can go on exactly where it was.

#pragma once

#include "config/value.hpp"
#include "engine/checkpoint/safetensors.hpp"

namespace ptp::engine {

// A part fills one and takes it back; only it knows what the names mean. Nothing is rounded on the
// way: reals are written with the digits that read back to the same bits.
struct SavedState {
    config::Value record = config::Value::table();
    TensorsByName tensors;
};

}  // namespace ptp::engine
