// Measures elapsed time, independent of changes of the system clock.

#pragma once

#include <chrono>

namespace ptp {

class Stopwatch {
public:
    // Returns the seconds since construction or restart, plus the initial ones.
    [[nodiscard]] double seconds() const { return before_ + (is_held_ ? 0 : since_begin()); }

    // Stops counting until release(), as in a pause.
    void hold() {
        before_ = seconds();
        is_held_ = true;
    }
    void release() {
        if (is_held_) {
            restart(before_);
        }
    }

    void restart(double before = 0) {
        before_ = before;
        is_held_ = false;
        begin_ = std::chrono::steady_clock::now();
    }

private:
    [[nodiscard]] double since_begin() const {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    }

    double before_ = 0;
    bool is_held_ = false;
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace ptp
