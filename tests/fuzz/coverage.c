/* What gcc's instrumentation calls, for libFuzzer, which was made for clang's: each place that
 * is passed adds one to one of its extra counters. */
#include <stddef.h>
#include <stdint.h>

#define COUNTERS 65536u

__attribute__((section("__libfuzzer_extra_counters"))) static uint8_t counters[COUNTERS];

void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_cmpf(float left, float right);
void __sanitizer_cov_trace_cmpd(double left, double right);

__attribute__((no_sanitize_coverage)) void __sanitizer_cov_trace_pc(void) {
    const uintptr_t place = (uintptr_t)__builtin_return_address(0);
    ++counters[(place ^ (place >> 16u)) % COUNTERS];
}

/* libFuzzer has these for whole numbers only. */
void __sanitizer_cov_trace_cmpf(float left, float right) {
    (void)left;
    (void)right;
}

void __sanitizer_cov_trace_cmpd(double left, double right) {
    (void)left;
    (void)right;
}
