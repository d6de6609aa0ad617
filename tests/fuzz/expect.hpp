// What a fuzz target finds wrong by itself.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace ptp::fuzz {

// Ends the process, for which the fuzzer keeps the input, unless it is so.
inline void expect(bool is_so, const char* what) {
    if (!is_so) {
        std::fprintf(stderr, "not so: %s\n", what);
        std::abort();
    }
}

}  // namespace ptp::fuzz
