/* SplitMix64 (Steele, Lea and Flood 2014, "Fast splittable pseudorandom number generators"), in
 * C and C++: the generator of host and plugins. The functions must never change: runs are
 * reproduced with them. */
#ifndef PTP_SPLITMIX64_H
#define PTP_SPLITMIX64_H

#include <stdint.h>

#ifdef __cplusplus
#define PTP_SPLITMIX64_FUNCTION constexpr
#else
#define PTP_SPLITMIX64_FUNCTION static inline
#endif

/* The increment of the state: 2^64 divided by the golden ratio, made odd. */
#define PTP_SPLITMIX64_STEP UINT64_C(0x9e3779b97f4a7c15)

/* The finalizer: a bijection in which every bit of the argument changes about half of the result. */
PTP_SPLITMIX64_FUNCTION uint64_t ptp_splitmix64_mix(uint64_t value) {
    value = (value ^ (value >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    value = (value ^ (value >> 27)) * UINT64_C(0x94d049bb133111eb);
    return value ^ (value >> 31);
}

#undef PTP_SPLITMIX64_FUNCTION

#endif
