// The settings of the process before it computes, its device, and its seed.

#pragma once

#include "experiment/experiment.hpp"

#include <c10/core/Device.h>

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
// algorithms on CUDA devices that have the same bits each time, if there are any
// (determinism_warnings.hpp); not if `is_deterministic` is false. Throws RunError with
// kConfigurationError. [main]
at::Device usable_device(const std::string& name, bool is_deterministic);

// Returns the experiment with its seed, or with one drawn from the system.
experiment::Experiment with_seed(experiment::Experiment experiment);

}  // namespace ptp::engine
