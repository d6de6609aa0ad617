#include "plugin/float_environment.hpp"

#include <doctest/doctest.h>

#include <cfenv>
#include <cstdint>

namespace float_environment_test {

using ptp::plugin::FloatEnvironment;

TEST_CASE("float environment: a change is noticed, and undone at the end of the scope") {
    {
        const FloatEnvironment before;
        CHECK(before.change() == "");
        std::fesetround(FE_DOWNWARD);
        CHECK(before.change() == "numbers are rounded in another direction");
    }
    CHECK(std::fegetround() == FE_TONEAREST);
}

TEST_CASE("float environment: what a call has changed is put back and named") {
    const std::uint32_t before = ptp::plugin::arithmetic();
    CHECK(ptp::plugin::restore_arithmetic(before) == "");
    std::fesetround(FE_UPWARD);
    CHECK(ptp::plugin::restore_arithmetic(before) == "numbers are rounded in another direction");
    CHECK(std::fegetround() == FE_TONEAREST);
    CHECK(ptp::plugin::arithmetic() == before);
}

TEST_CASE("float environment: calculations that set exception flags are no change") {
    const FloatEnvironment before;
    volatile double zero = 0.0;
    volatile double result = 1.0 / zero;
    (void)result;
    CHECK(before.change() == "");
}

#if defined(__x86_64__)
TEST_CASE("float environment: flushing and unmasked exceptions are named") {
    {
        const FloatEnvironment before;
        __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040u);
        CHECK(before.change() == "tiny numbers are taken as zero");
    }
    {
        const FloatEnvironment before;
        __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() & ~0x0080u);
        CHECK(before.change() == "floating-point exceptions are handled differently");
    }
}
#elif defined(__aarch64__)
TEST_CASE("float environment: flushing is named") {
    const FloatEnvironment before;
    __builtin_aarch64_set_fpcr(__builtin_aarch64_get_fpcr() | 1U << 24U);
    CHECK(before.change() == "tiny numbers are taken as zero");
}
#endif

}  // namespace float_environment_test
