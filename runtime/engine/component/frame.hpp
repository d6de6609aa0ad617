// The values of all streams for one batch: an array with a slot for each stream of the plan.

#pragma once

#include "engine/component/slot.hpp"
#include "pipeline/plan.hpp"

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ptp::engine {

class SentBatch;

// This process's part of a batch that several processes share. The frame holds that part, or the
// whole batch, which is cut up after the transforms that need it whole.
struct BatchShare {
    std::uint64_t whole = 0;  // samples of the batch
    std::uint64_t first = 0;
    std::uint64_t count = 0;
    bool is_cut = true;
};

// Counts the samples of a batch that one of several components, which are tried in turn, has taken.
struct TriedSamples {
    std::string section;    // of `try`
    std::string component;  // the name of its table
    std::uint64_t taken = 0;
    std::uint64_t refused = 0;
    std::int64_t first_refused = -1;  // a sample
    std::string reason = {};          // why it refuses that one
};

// The samples that the values belong to.
struct BatchSamples {
    at::Tensor indices;                // [B]
    std::vector<std::uint64_t> seeds;  // seeds of all randomness for each of them
    std::uint64_t epoch = 0;
    bool is_training = false;
    BatchShare share = {};
    std::shared_ptr<const SentBatch> sent = nullptr;  // copies on the run's device: Slot::ahead
    std::vector<TriedSamples> tried = {};             // until the step counts them
};

// The streams' values. Built once; used by one thread at a time.
class Frame {
public:
    explicit Frame(const pipeline::Plan& plan) : slots_(plan.streams.size()) {
        for (std::size_t i = 0; i < slots_.size(); ++i) {
            slots_[i].element = static_cast<ptp_element>(plan.streams[i].element);
        }
    }

    [[nodiscard]] Slot& operator[](int stream) { return slots_[static_cast<std::size_t>(stream)]; }
    [[nodiscard]] const Slot& operator[](int stream) const {
        return slots_[static_cast<std::size_t>(stream)];
    }

    // Returns the samples of the current batch.
    [[nodiscard]] BatchSamples& samples() { return samples_; }
    [[nodiscard]] const BatchSamples& samples() const { return samples_; }

    // Forgets all values, and with them the autograd history of the step.
    void clear() {
        for (Slot& slot : slots_) {
            slot.clear();
        }
    }

private:
    std::vector<Slot> slots_;
    BatchSamples samples_;
};

// The values in a frame that a component reads and writes; nullptr for a port without a stream.
struct FrameValues {
    FrameValues(const pipeline::Node& node, Frame& frame) {
        for (const pipeline::Binding& input : node.inputs) {
            inputs.push_back(input.stream < 0 ? nullptr : frame[input.stream].value());
        }
        for (const pipeline::Binding& output : node.outputs) {
            outputs.push_back(output.stream < 0 ? nullptr : frame[output.stream].value());
        }
    }

    std::vector<const ptp_value*> inputs;
    std::vector<ptp_value*> outputs;
};

}  // namespace ptp::engine
