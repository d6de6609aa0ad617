// The memory, threads, device and environment of a process that computes.

#include "engine/train/process_setup.hpp"

#include "base/error.hpp"
#include "base/memory.hpp"
#include "engine/data/loader_memory.hpp"
#include "schema/device.hpp"

#include <ATen/Parallel.h>

#include <dlfcn.h>
#include <fmt/core.h>
#include <malloc.h>
#include <torch/cuda.h>

#include <cstdint>
#include <cstdlib>
#include <random>

namespace ptp::engine {

namespace {

void prepare_allocators() {
    mallopt(M_ARENA_MAX, 2);
    keep_freed_memory();
    pool_loader_memory();
}

void use_asked_threads() {
    const char* asked = std::getenv("OMP_NUM_THREADS");
    const int count = asked == nullptr ? 0 : std::atoi(asked);  // reads "4,2" as 4
    if (count > 0 && count != at::get_num_threads()) {
        at::set_num_threads(count);
    }
}

// The text after the name of an operation in libtorch's warning (Context::alertNotDeterministic).
constexpr const char* kWords = " does not have a deterministic implementation";

}  // namespace

void bind_blas_threads() {
    using SetThreads = void (*)(int);
    // Other BLAS libraries have no such function, and do not need it.
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
    prepare_allocators();
    use_asked_threads();
    bind_blas_threads();
}

void set_up_embedded() {
    set_device_environment();
    bind_blas_threads();
}

at::Device usable_device(const std::string& name, bool is_deterministic) {
    const bool is_cpu = name == "cpu";
    compat::use_deterministic_algorithms(!is_cpu && is_deterministic);
    if (is_cpu) {
        return at::kCPU;
    }
    const auto count = static_cast<int>(torch::cuda::device_count());
    if (const std::string problem = schema::device_problem(name, count); !problem.empty()) {
        throw RunError(kConfigurationError, fmt::format("device = \"{}\": {}{}", name, problem,
                                                        count == 0 ? "; use --device cpu" : ""));
    }
    const at::Device device(name);
    return device.has_index() ? device : at::Device(at::kCUDA, 0);
}

experiment::Experiment with_seed(experiment::Experiment experiment) {
    if (!experiment.seed) {
        experiment.seed = static_cast<std::int64_t>(std::random_device()());
    }
    return experiment;
}

DeterminismWarnings::DeterminismWarnings(at::Device device, bool is_deterministic,
                                         spdlog::logger& log)
    : device_(device), log_(log) {
    if (device.is_cpu()) {
        return;
    }
    if (!is_deterministic) {
        log.warn(fmt::format(
            "deterministic = false: another run with the same seed may differ from this "
            "one in the last bits of its numbers on {}",
            device.str()));
    } else {
        guard_.emplace(static_cast<c10::WarningHandler*>(this));
    }
}

bool DeterminismWarnings::take(const std::string& text) {
    const std::size_t end = text.find(kWords);
    if (end == std::string::npos) {
        return false;
    }
    const std::string operation = text.substr(0, end);
    if (operations_.insert(operation).second) {
        log_.warn(fmt::format(
            "{}: libtorch has no deterministic algorithm for it on {}; another run with the same "
            "seed may differ from this one in the last bits of its numbers",
            operation, device_.str()));
    }
    return true;
}

}  // namespace ptp::engine
