// Batches of single samples: some of the samples of a value, and values of some samples put
// together again.

#pragma once

#include "engine/component/frame.hpp"
#include "engine/component/slot.hpp"
#include "pipeline/plan.hpp"

#include <ptp/abi.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ptp::engine {

// Places of samples in a batch.
using Places = std::vector<std::int64_t>;

// Returns the samples at these places.
BatchSamples samples_at(const BatchSamples& samples, const Places& places);

// Copies the samples at these places of a batch of `count` samples. A tensor without a dimension
// for them, by its declared shape or its size, is taken whole.
void take_samples(const ptp_value* from, const pipeline::Binding& binding, const Places& places,
                  std::int64_t count, Slot& to);

// Returns the number of samples in a value that was written; nullopt if it was not written.
std::optional<std::int64_t> written_samples(const Slot& slot, const pipeline::Binding& binding);

// Values of some samples of a batch.
struct SamplePart {
    Places places;
    std::vector<Slot> outputs;  // as the node's
};

// Two parts whose tensors cannot be in one batch.
struct UnlikeParts {
    std::size_t first = 0;
    std::size_t second = 0;
    std::string first_type;  // "Float [1, 3]"
    std::string second_type;
};

// Writes one output of the parts, which have each sample once, as one value. Returns the parts, if
// there are such, whose tensors have different types or sizes, and writes nothing then.
std::optional<UnlikeParts> join_samples(const std::vector<SamplePart>& parts, std::size_t output,
                                        const pipeline::Binding& binding, ptp_value* to);

}  // namespace ptp::engine
