// Marks the calls of components in which somebody looks at libtorch's operations.

#pragma once

#include <cstdint>

namespace ptp::engine {

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

}  // namespace ptp::engine
