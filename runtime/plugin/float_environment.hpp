// The floating-point mode of this thread's processor. Merely loading a library that was linked with
// -ffast-math changes it for the whole thread, and so the results of the whole run.
#pragma once

#include <cfenv>
#include <cstdint>
#include <string>

namespace ptp::plugin {

// Returns how this thread rounds and treats denormal numbers, in the processor's format; without
// the flags that any calculation sets. Takes a nanosecond.
inline std::uint32_t arithmetic() {
#if defined(__x86_64__)
    constexpr std::uint32_t kExceptionFlags = 0x003f;
    return __builtin_ia32_stmxcsr() & ~kExceptionFlags;
#elif defined(__aarch64__)
    return static_cast<std::uint32_t>(__builtin_aarch64_get_fpcr());
#else
    return 0;
#endif
}

// Restores the mode that arithmetic() returned. Returns the difference for a message: "numbers are
// rounded in another direction"; "" if there was none.
std::string restore_arithmetic(std::uint32_t before);

// Saves the floating-point environment of the calling thread and restores it at the end of its
// scope.
class FloatEnvironment {
public:
    FloatEnvironment();
    ~FloatEnvironment();
    FloatEnvironment(const FloatEnvironment&) = delete;
    FloatEnvironment& operator=(const FloatEnvironment&) = delete;

    // Restores the environment now.
    void restore() const;

    // Returns the difference from the saved environment, for a message: "denormal numbers are
    // flushed to zero"; empty if there is none.
    [[nodiscard]] std::string change() const;

private:
    std::fenv_t environment_;
    int rounding_;
    std::uint32_t control_;
};

}  // namespace ptp::plugin
