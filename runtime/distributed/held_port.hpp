// Holds a port of this host, so that no other program takes it.

#pragma once

#include "base/descriptor.hpp"

#include <cstdint>

namespace ptp::distributed {

// A free port. A process that binds it with SO_REUSEADDR, as a server of c10d's store does, can
// listen at it; the system gives it to no other process that asks for a free port.
class HeldPort {
public:
    // Throws RunError with kTrainingError if the system has none.
    HeldPort();

    [[nodiscard]] std::uint16_t number() const { return number_; }

private:
    Descriptor socket_;
    std::uint16_t number_ = 0;
};

}  // namespace ptp::distributed
