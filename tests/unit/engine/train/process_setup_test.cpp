#include "engine/train/process_setup.hpp"

#include <ATen/Parallel.h>
#include <doctest/doctest.h>

#include <dlfcn.h>
#include <cstdlib>
#include <string>

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

TEST_CASE("process setup: what CUDA's libraries read is set, where it is not set already") {
    constexpr int kReplace = 1;
    unsetenv("CUBLAS_WORKSPACE_CONFIG");
    setenv("TORCH_NCCL_BLOCKING_WAIT", "0", kReplace);
    ptp::engine::set_device_environment();
    CHECK(std::string(std::getenv("CUBLAS_WORKSPACE_CONFIG")) == ":4096:8");
    CHECK(std::string(std::getenv("TORCH_NCCL_BLOCKING_WAIT")) == "0");
    unsetenv("CUBLAS_WORKSPACE_CONFIG");
    unsetenv("TORCH_NCCL_BLOCKING_WAIT");
    unsetenv("TORCH_NCCL_ASYNC_ERROR_HANDLING");
}

}  // namespace process_setup_test
