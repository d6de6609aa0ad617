#include "engine/train/process_setup.hpp"

#include <ATen/Parallel.h>
#include <doctest/doctest.h>

#include <dlfcn.h>

namespace process_setup_test {

using ptp::engine::bind_blas_threads;

TEST_CASE("process setup: OpenBLAS uses as many threads as libtorch") {
    using GetThreads = int (*)();
    void* get = dlsym(RTLD_DEFAULT, "openblas_get_num_threads");
    if (get == nullptr) {
        MESSAGE("skipped: the active BLAS is not OpenBLAS");
        return;
    }
    at::set_num_threads(1);
    bind_blas_threads();
    CHECK(reinterpret_cast<GetThreads>(get)() == 1);
}

}  // namespace process_setup_test
