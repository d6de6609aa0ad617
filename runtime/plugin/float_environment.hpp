// How this thread's processor rounds. A library that was linked with -ffast-math changes it for
// everybody by merely being loaded, and with it the results of the whole run.
#pragma once

#include <cfenv>
#include <cstdint>
#include <string>

namespace ptp::plugin {

// Remembers the floating-point environment of the calling thread and puts it back at the end of its
// scope.
class FloatEnvironment {
public:
    FloatEnvironment();
    ~FloatEnvironment();
    FloatEnvironment(const FloatEnvironment&) = delete;
    FloatEnvironment& operator=(const FloatEnvironment&) = delete;

    // Puts it back now.
    void restore() const;

    // What is different from then, for a message: "denormal numbers are flushed to zero"; empty if
    // nothing is.
    [[nodiscard]] std::string change() const;

private:
    std::fenv_t environment_;
    int rounding_;
    std::uint32_t control_;
};

}  // namespace ptp::plugin
