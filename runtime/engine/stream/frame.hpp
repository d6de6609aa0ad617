// The values of all streams in one step: an array of slots, one for each stream of the plan.

#pragma once

#include "engine/stream/slot.hpp"
#include "pipeline/plan.hpp"

#include <cstddef>
#include <vector>

namespace ptp::engine {

// Built once; one thread at a time.
class Frame {
public:
    explicit Frame(const pipeline::Plan& plan);

    [[nodiscard]] Slot& operator[](int stream) { return slots_[static_cast<std::size_t>(stream)]; }
    [[nodiscard]] const Slot& operator[](int stream) const {
        return slots_[static_cast<std::size_t>(stream)];
    }

    // Forgets all values, and with them the autograd history of the step.
    void clear();

private:
    std::vector<Slot> slots_;
};

}  // namespace ptp::engine
