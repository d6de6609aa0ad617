// Reads the saved state of a sink.

#pragma once

#include "base/error.hpp"
#include "base/value.hpp"

#include <cstdint>
#include <string>

namespace ptp::engine {

// Throws RunError with kDataError if the state has no such number, or a negative one.
inline std::uint64_t saved_number(const Value& saved, const char* name) {
    const Value* value = saved.find(name);
    if (value == nullptr || !value->is_integer() || value->as_integer() < 0) {
        throw RunError(kDataError, std::string("the saved state has no usable '") + name + "'");
    }
    return static_cast<std::uint64_t>(value->as_integer());
}

// Returns "" if the state has no such text, like states of older runs.
inline std::string saved_text(const Value& saved, const char* name) {
    const Value* value = saved.find(name);
    return value != nullptr && value->is_string() ? value->as_string() : "";
}

}  // namespace ptp::engine
