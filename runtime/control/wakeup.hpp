// Wakes a thread that waits in poll().

#pragma once

#include "base/descriptor.hpp"

namespace ptp::control {

class Wakeup {
public:
    // Throws std::system_error.
    Wakeup();

    // [any] The descriptor can be read from until the next clear(), however often it is raised.
    void raise();
    void clear();

    // To poll for POLLIN.
    [[nodiscard]] int descriptor() const { return event_.get(); }

private:
    Descriptor event_;
};

}  // namespace ptp::control
