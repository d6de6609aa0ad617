// Time that passes, whatever the clock on the wall does.

#pragma once

#include <chrono>

namespace ptp::engine {

class Stopwatch {
public:
    // Seconds since it was made or restarted, and those it began with.
    [[nodiscard]] double seconds() const {
        return before_ +
               std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    }

    void restart(double before = 0) {
        before_ = before;
        begin_ = std::chrono::steady_clock::now();
    }

private:
    double before_ = 0;
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace ptp::engine
