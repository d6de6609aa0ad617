// How this thread's processor rounds. A library that was linked with -ffast-math changes it for
// everybody by merely being loaded, and with it the results of the whole run.
#pragma once

#include <cfenv>
#include <cstdint>
#include <string>

namespace ptp::plugin {

// How this thread rounds and treats tiny numbers, as the processor has it; without the flags that
// any calculation sets. Takes a nanosecond.
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

// Puts it back to what arithmetic() returned; what was different, for a message: "numbers are
// rounded in another direction"; "" if nothing was.
std::string restore_arithmetic(std::uint32_t before);

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
