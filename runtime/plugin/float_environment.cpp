#include "plugin/float_environment.hpp"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace ptp::plugin {

namespace {

// Of MXCSR, "Intel 64 and IA-32 Architectures Software Developer's Manual", volume 1,
// section 10.2.3.
constexpr std::uint32_t kExceptionFlags = 0x003f;
constexpr std::uint32_t kDenormalsAreZeros = 0x0040;
constexpr std::uint32_t kFlushToZero = 0x8000;

// Without the flags that any calculation sets. Other machines than x86-64 are judged by their
// rounding mode alone.
std::uint32_t control_word() {
#if defined(__x86_64__)
    return _mm_getcsr() & ~kExceptionFlags;
#else
    return 0;
#endif
}

}  // namespace

FloatEnvironment::FloatEnvironment() : rounding_(std::fegetround()), control_(control_word()) {
    std::fegetenv(&environment_);
}

FloatEnvironment::~FloatEnvironment() {
    restore();
}

void FloatEnvironment::restore() const {
    std::fesetenv(&environment_);
}

std::string FloatEnvironment::change() const {
    if (std::fegetround() != rounding_) {
        return "numbers are rounded in another direction";
    }
    const std::uint32_t changed = control_word() ^ control_;
    if ((changed & (kFlushToZero | kDenormalsAreZeros)) != 0) {
        return "tiny numbers are taken as zero";
    }
    return changed != 0 ? "floating-point exceptions are handled differently" : "";
}

}  // namespace ptp::plugin
