// Looks at the components of an episode while they compute.

#pragma once

namespace ptp::engine {

class Frame;
class Instance;

// [main] No function throws. The calls of the components are observed (observation.hpp).
class ForwardObserver {
public:
    ForwardObserver() = default;
    ForwardObserver(const ForwardObserver&) = delete;
    ForwardObserver& operator=(const ForwardObserver&) = delete;
    virtual ~ForwardObserver() = default;

    // Called before forward() of a component, and after it, with the streams that it has written.
    virtual void enter(const Instance& instance) noexcept = 0;
    virtual void leave(const Instance& instance, const Frame& frame) noexcept = 0;
};

}  // namespace ptp::engine
