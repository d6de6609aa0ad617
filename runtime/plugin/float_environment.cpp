// Reads and restores the control word of the processor for floating-point numbers.

#include "plugin/float_environment.hpp"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace ptp::plugin {

namespace {

// The bits that treat denormal numbers as zero, and those of the rounding direction.
#if defined(__x86_64__)
// MXCSR, "Intel 64 and IA-32 Architectures Software Developer's Manual", volume 1, section 10.2.3:
// denormals are zeros, flush to zero.
constexpr std::uint32_t kTinyIsZero = 0x8040;
constexpr std::uint32_t kRounding = 0x6000;

void set_arithmetic(std::uint32_t word) {
    _mm_setcsr((_mm_getcsr() & 0x003fU) | word);
}
#elif defined(__aarch64__)
// FPCR, "Arm Architecture Reference Manual for A-profile architecture": FZ and FZ16. Flags are in
// FPSR.
constexpr std::uint32_t kTinyIsZero = 1U << 24U | 1U << 19U;
constexpr std::uint32_t kRounding = 3U << 22U;

void set_arithmetic(std::uint32_t word) {
    __builtin_aarch64_set_fpcr(word);
}
#else
// On other machines only the rounding mode is compared.
constexpr std::uint32_t kTinyIsZero = 0;
constexpr std::uint32_t kRounding = 0;

void set_arithmetic(std::uint32_t) {}
#endif

std::string change_text(std::uint32_t changed) {
    if ((changed & kRounding) != 0) {
        return "numbers are rounded in another direction";
    }
    if ((changed & kTinyIsZero) != 0) {
        return "tiny numbers are taken as zero";
    }
    return changed != 0 ? "floating-point exceptions are handled differently" : "";
}

}  // namespace

std::string restore_arithmetic(std::uint32_t before) {
    const std::uint32_t changed = arithmetic() ^ before;
    if (changed != 0) {
        set_arithmetic(before);
        if ((changed & kRounding) != 0) {  // also in the older floating-point unit
            std::fesetround(FE_TONEAREST);
            set_arithmetic(before);
        }
    }
    return change_text(changed);
}

FloatEnvironment::FloatEnvironment() : rounding_(std::fegetround()), control_(arithmetic()) {
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
    return change_text(arithmetic() ^ control_);
}

}  // namespace ptp::plugin
