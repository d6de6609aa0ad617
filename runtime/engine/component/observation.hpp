// Observed calls of components: what looks at them, and the mark by which components know of it.

#pragma once

#include <cstdint>

namespace ptp::engine {

class Frame;
class Instance;

// While one exists, calls on this thread are observed: components that ask the host
// (ptp.observation/1) use libtorch's operations instead of loops of their own, with the same values
// and gradients. Needed by all that records, explains or traces operations.
class Observation {
public:
    Observation() { ++depth(); }
    ~Observation() { --depth(); }
    Observation(const Observation&) = delete;
    Observation& operator=(const Observation&) = delete;

    [[nodiscard]] static bool is_active() { return depth() > 0; }

private:
    static std::uint32_t& depth() {
        thread_local std::uint32_t depth = 0;
        return depth;
    }
};

// [main] No function throws. The calls of the components are observed.
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
