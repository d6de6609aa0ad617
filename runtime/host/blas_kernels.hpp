// Selects the kernels with which OpenBLAS multiplies matrices: it chooses a family when it is
// opened, and takes one for an old processor if it is older than the processor.

#pragma once

#include "engine/request.hpp"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::host {

// The instructions in which families of kernels differ, if the processor has them and the system
// has enabled them.
struct Instructions {
    bool has_sse4 = false;    // up to SSE4.2
    bool has_avx2 = false;    // and FMA
    bool has_avx512 = false;  // F, CD, BW, DQ and VL, as in SkylakeX
    bool has_bf16 = false;    // the AVX-512 of Cooperlake

    static Instructions of_this_processor();
};

// Returns whether the kernels of `family`, as OpenBLAS names it, run with these instructions; false
// for an unknown family.
bool can_run(std::string_view family, const Instructions& instructions);

// Returns the families to use instead of `chosen`, the newest first; none if `chosen` suits the
// processor, or is unknown.
std::vector<std::string> newer_kernels(std::string_view chosen, const Instructions& instructions);

// Opens the BLAS `library`, which stays open, and selects other kernels if newer_kernels() returns
// some, or those of `recorded` if it is not empty. Sets OPENBLAS_CORETYPE, which is read when the
// library is opened; if it is already set, or the library is already open, that decides. [main],
// before other threads exist
engine::BlasKernels choose_kernels(const char* library, const Instructions& instructions,
                                   const std::string& recorded);

// Does so for the library that libtorch is linked with, once in a process; returns that result.
const engine::BlasKernels& blas_kernels(const std::string& recorded = "");

// Returns the family of a run's computations, from its run.json; "" if it is not recorded.
std::string recorded_kernels(const std::filesystem::path& run);

}  // namespace ptp::host
