#include "plugin/float_environment.hpp"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace ptp::plugin {

namespace {

// `kTinyIsZero` has the bits with which tiny numbers are taken as zero. The control word is without
// the flags that any calculation sets.
#if defined(__x86_64__)
// MXCSR, "Intel 64 and IA-32 Architectures Software Developer's Manual", volume 1, section 10.2.3:
// denormals are zeros, flush to zero.
constexpr std::uint32_t kExceptionFlags = 0x003f;
constexpr std::uint32_t kTinyIsZero = 0x8040;

std::uint32_t control_word() {
    return _mm_getcsr() & ~kExceptionFlags;
}
#elif defined(__aarch64__)
// FPCR, "Arm Architecture Reference Manual for A-profile architecture": FZ and FZ16. Flags are in
// FPSR.
constexpr std::uint32_t kTinyIsZero = 1U << 24U | 1U << 19U;

std::uint32_t control_word() {
    return static_cast<std::uint32_t>(__builtin_aarch64_get_fpcr());
}
#else
// Other machines are judged by their rounding mode alone.
constexpr std::uint32_t kTinyIsZero = 0;

std::uint32_t control_word() {
    return 0;
}
#endif

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
    if ((changed & kTinyIsZero) != 0) {
        return "tiny numbers are taken as zero";
    }
    return changed != 0 ? "floating-point exceptions are handled differently" : "";
}

}  // namespace ptp::plugin
