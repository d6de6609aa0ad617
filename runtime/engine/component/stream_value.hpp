// Values of streams at the boundary of the engine: DLPack and strings.

#pragma once

#include "engine/component/slot.hpp"
#include "engine/embedding.hpp"

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

namespace ptp::engine {

// A stream's value that outlives the use of its slot.
struct KeptValue {
    ptp_element element = PTP_FLOAT;
    at::Tensor tensor = {};  // shares the slot's memory, without its gradients
    std::vector<std::string> strings = {};
};
KeptValue kept(const Slot& slot);

// Returns the value. Bool becomes a byte per element, 0 or 1: not every reader knows DLPack's bool.
// Throws RunError (kConfigurationError) for a value that is neither a tensor nor strings, and for
// one that was not written. `stream` is its name.
StreamValue value_of(const KeptValue& kept, const std::string& stream);

// Returns a copy in the engine's memory. The view's deleter is not called. Throws c10::Error for a
// type that libtorch lacks.
at::Tensor copy_of(const DLManagedTensor& view);

}  // namespace ptp::engine
