#include "engine/train/machine.hpp"

#include <ATen/Parallel.h>
#include <doctest/doctest.h>

#include <dlfcn.h>

using ptp::engine::bind_blas_threads;

TEST_CASE("machine: OpenBLAS uses as many threads as libtorch") {
    using GetThreads = int (*)();
    void* get = dlsym(RTLD_DEFAULT, "openblas_get_num_threads");
    if (get == nullptr) {
        MESSAGE("skipped: the BLAS in force is not OpenBLAS");
        return;
    }
    at::set_num_threads(1);
    bind_blas_threads();
    CHECK(reinterpret_cast<GetThreads>(get)() == 1);
}
