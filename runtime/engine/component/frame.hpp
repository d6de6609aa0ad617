// The values of all streams in one step: an array of slots, one for each stream of the plan.

#pragma once

#include "engine/component/slot.hpp"
#include "pipeline/plan.hpp"

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace ptp::engine {

class SentBatch;

// Of a batch that several processes share: the part of this one. What is in the frame is that part,
// or the whole batch, which is cut up behind the transforms that need it whole.
struct BatchShare {
    std::uint64_t whole = 0;  // samples of the batch
    std::uint64_t first = 0;
    std::uint64_t count = 0;
    bool is_cut = true;
};

// Which samples the values are of.
struct BatchSamples {
    at::Tensor indices;                // [B]
    std::vector<std::uint64_t> seeds;  // of all that is random about each of them
    std::uint64_t epoch = 0;
    bool is_training = false;
    BatchShare share = {};
    std::shared_ptr<const SentBatch> sent = nullptr;  // copies on the run's device: Slot::ahead
};

// Built once; one thread at a time.
class Frame {
public:
    explicit Frame(const pipeline::Plan& plan);

    [[nodiscard]] Slot& operator[](int stream) { return slots_[static_cast<std::size_t>(stream)]; }
    [[nodiscard]] const Slot& operator[](int stream) const {
        return slots_[static_cast<std::size_t>(stream)];
    }

    // Of the batch that is in it.
    [[nodiscard]] BatchSamples& samples() { return samples_; }
    [[nodiscard]] const BatchSamples& samples() const { return samples_; }

    // Forgets all values, and with them the autograd history of the step.
    void clear();

private:
    std::vector<Slot> slots_;
    BatchSamples samples_;
};

}  // namespace ptp::engine
