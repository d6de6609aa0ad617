// Which of its kernels OpenBLAS multiplies matrices with: it chooses a family when it is opened,
// and takes one for an old processor where it is older than the processor.

#pragma once

#include "engine/request.hpp"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::host {

// The instructions by which families of kernels differ, of those that the processor has and the
// system has enabled.
struct Instructions {
    bool has_sse4 = false;    // up to SSE4.2
    bool has_avx2 = false;    // and FMA
    bool has_avx512 = false;  // F, CD, BW, DQ and VL, as SkylakeX has them
    bool has_bf16 = false;    // the AVX-512 of Cooperlake

    static Instructions of_this_processor();
};

// Whether the kernels of `family`, as OpenBLAS names it, run with these instructions; false for a
// family that is not known here.
bool can_run(std::string_view family, const Instructions& instructions);

// The families to take instead of `chosen`, the newest first; none where `chosen` suits the
// processor, or is not known here.
std::vector<std::string> newer_kernels(std::string_view chosen, const Instructions& instructions);

// Opens the BLAS `library`, which stays open, and has it take other kernels where newer_kernels()
// has some: those of `recorded` where it is not empty. Sets OPENBLAS_CORETYPE, which is read when
// the library is opened. One that is set already decides, and so does a library that is open
// already. [main], before there are other threads
engine::BlasKernels choose_kernels(const char* library, const Instructions& instructions,
                                   const std::string& recorded);

// The same for the library that libtorch is linked with, once in a process: what was chosen then.
const engine::BlasKernels& blas_kernels(const std::string& recorded = "");

// The family that a run computed with, from its run.json; "" where that does not state it.
std::string recorded_kernels(const std::filesystem::path& run);

}  // namespace ptp::host
