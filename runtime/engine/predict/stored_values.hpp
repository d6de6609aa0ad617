// Values of streams in a file of safetensors: tensors under the streams' names, and texts as their
// bytes and where each ends.

#pragma once

#include "engine/component/saved_state.hpp"
#include "engine/component/stream_value.hpp"

#include <map>
#include <optional>
#include <string>

namespace ptp::engine {

using ValuesByStream = std::map<std::string, KeptValue>;

inline constexpr const char* kInputSide = "input";
inline constexpr const char* kOutputSide = "output";

// Adds the tensors that hold these values. REQUIRES: each is a tensor, or texts.
void store_values(const std::string& side, const ValuesByStream& values, TensorsByName& tensors);

// Returns the values of a side. Throws RunError with kDataError for texts without an end.
ValuesByStream stored_values(const std::string& side, const TensorsByName& tensors);

// Returns how a value differs from the stored one by more than the tolerance, which is relative to
// the largest stored number, but at least to 1: "differs by up to 0.3 at [0, 2]: 0.5, stored was
// 0.2"; nullopt if it does not.
std::optional<std::string> difference_from_stored(const KeptValue& stored,
                                                  const KeptValue& computed, double tolerance);

}  // namespace ptp::engine
