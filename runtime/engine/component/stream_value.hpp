// Values of streams as they leave the engine and come into it: DLPack and strings.

#pragma once

#include "engine/component/slot.hpp"
#include "engine/embedding.hpp"

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

namespace ptp::engine {

// A stream's value that is kept when its slot is used again.
struct KeptValue {
    ptp_element element = PTP_FLOAT;
    at::Tensor tensor = {};  // shares the memory of the slot's, without its gradients
    std::vector<std::string> strings = {};
};
KeptValue kept(const Slot& slot);

// Bool is a byte for each element, 0 or 1: DLPack has no bool that every reader knows. Throws
// RunError (kConfigurationError) for a value that is neither a tensor nor strings, and for one that
// was not written. `stream` is its name.
StreamValue value_of(const KeptValue& kept, const std::string& stream);

// A copy, whose memory is the engine's. The view's deleter is not called. Throws c10::Error for a
// type that libtorch lacks.
at::Tensor copy_of(const DLManagedTensor& view);

}  // namespace ptp::engine
