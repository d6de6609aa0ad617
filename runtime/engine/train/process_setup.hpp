// The settings of the process before it computes, its device, its seed, and whether its results can
// be repeated.

#pragma once

#include "engine/component/compat.hpp"
#include "experiment/experiment.hpp"

#include <c10/core/Device.h>
#include <spdlog/logger.h>

#include <optional>
#include <set>
#include <string>

namespace ptp::engine {

// Sets up a program of ptp before it computes. Calls set_device_environment().
//
// Makes the allocator keep freed memory: a step frees and allocates the same large blocks again and
// again, and returning them to the system each time costs more than the step's own work on them.
// Loader threads share one additional heap, so that one reuses what another has freed. Large
// tensors of batches have a pool of their own.
//
// Sets libtorch's number of threads to OMP_NUM_THREADS, as libtorch does by itself up to 1.13:
// newer versions limit it to the number of cores, and other numbers of threads round differently.
// Then calls bind_blas_threads().
void set_up_process();

// Sets up a program that uses ptp as a library, without changing how the program itself works.
void set_up_embedded();

// Sets OpenBLAS's number of threads to libtorch's. Its build for POSIX threads starts one for each
// core regardless of libtorch's setting; between two products they spin, on the cores that load the
// data.
void bind_blas_threads();

// Sets environment variables for CUDA libraries, unless they are set. With this workspace size,
// cuBLAS sums in the same order each time. A failed NCCL reduction is reported by wait(), like one
// of gloo: otherwise libtorch's threads would end the process. [main], before other threads exist
void set_device_environment();

// Returns "cpu", "cuda" or "cuda:N" as an existing device. From then on, the process uses
// algorithms on CUDA devices that have the same bits each time, if there are any; not if
// `is_deterministic` is false. Throws RunError with kConfigurationError. [main]
at::Device usable_device(const std::string& name, bool is_deterministic);

// Returns the experiment with its seed, or with one drawn from the system.
experiment::Experiment with_seed(experiment::Experiment experiment);

// On a CUDA device the same seed gives the same bits if libtorch has deterministic algorithms.
// While this exists, libtorch's warnings of operations without a deterministic algorithm become
// warnings of the run, one for each operation. This includes the backward pass: libtorch passes its
// warnings to the thread that called it. [main]
class DeterminismWarnings final : private compat::WarningHandler {
public:
    // Does nothing on the CPU, where all algorithms are deterministic. If a CUDA device need not
    // be, it only warns of that.
    DeterminismWarnings(at::Device device, bool is_deterministic, spdlog::logger& log);

    // Returns whether any operation has caused a warning.
    [[nodiscard]] bool is_any() const { return !operations_.empty(); }

private:
    [[nodiscard]] bool take(const std::string& text) override;

    at::Device device_;
    spdlog::logger& log_;
    std::set<std::string> operations_;  // those reported
    std::optional<compat::WarningGuard> guard_;
};

}  // namespace ptp::engine
