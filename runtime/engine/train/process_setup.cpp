#include "engine/train/process_setup.hpp"

#include "base/error.hpp"
#include "base/memory.hpp"
#include "engine/component/compat.hpp"
#include "engine/data/loader_memory.hpp"

#include <ATen/Parallel.h>

#include <dlfcn.h>
#include <fmt/core.h>
#include <malloc.h>
#include <torch/cuda.h>

#include <cstddef>
#include <cstdlib>

namespace ptp::engine {

namespace {

// What a task reads into memory, and the first batches.
constexpr std::size_t kPreparedHeap = std::size_t{64} << 20;

void keep_freed_memory() {
    mallopt(M_ARENA_MAX, 2);
    prepare_growing_heap(kPreparedHeap);
    pool_loader_memory();
}

void use_asked_threads() {
    const char* asked = std::getenv("OMP_NUM_THREADS");
    const int count = asked == nullptr ? 0 : std::atoi(asked);  // "4,2" are 4 here
    if (count > 0 && count != at::get_num_threads()) {
        at::set_num_threads(count);
    }
}

}  // namespace

void bind_blas_threads() {
    using SetThreads = void (*)(int);
    // Another BLAS has no such function, and needs none.
    if (void* set = dlsym(RTLD_DEFAULT, "openblas_set_num_threads"); set != nullptr) {
        reinterpret_cast<SetThreads>(set)(at::get_num_threads());
    }
}

void set_device_environment() {
    constexpr int kKeep = 0;
    setenv("CUBLAS_WORKSPACE_CONFIG", ":4096:8", kKeep);
    setenv("TORCH_NCCL_BLOCKING_WAIT", "1", kKeep);
    setenv("TORCH_NCCL_ASYNC_ERROR_HANDLING", "0", kKeep);
}

void set_up_process() {
    set_device_environment();
    keep_freed_memory();
    use_asked_threads();
    bind_blas_threads();
}

void set_up_embedded() {
    set_device_environment();
    bind_blas_threads();
}

at::Device usable_device(const std::string& name, bool is_deterministic) {
    at::Device device(name);
    compat::use_deterministic_algorithms(!device.is_cpu() && is_deterministic);
    if (device.is_cpu()) {
        return device;
    }
    const auto count = static_cast<int>(torch::cuda::device_count());
    if (count == 0) {
        throw RunError(kConfigurationError,
                       fmt::format("device = \"{}\": libtorch finds no CUDA device here; use "
                                   "--device cpu",
                                   name));
    }
    const int index = device.has_index() ? device.index() : 0;
    if (index >= count) {
        throw RunError(
            kConfigurationError,
            count == 1 ? fmt::format("device = \"{}\": the one CUDA device here is cuda:0", name)
                       : fmt::format("device = \"{}\": the {} CUDA devices here are cuda:0 to "
                                     "cuda:{}",
                                     name, count, count - 1));
    }
    return {at::kCUDA, static_cast<at::DeviceIndex>(index)};
}

}  // namespace ptp::engine
