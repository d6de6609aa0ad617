// Settings of the process before it computes, and the device that it uses.

#pragma once

#include <c10/core/Device.h>

#include <string>

namespace ptp::engine {

// Before a program of ptp computes. set_device_environment().
//
// Has the allocator keep freed memory: a step frees and allocates the same large blocks over and
// over, and giving them back to the system each time costs more than the step's own work on them.
// Loader threads share one more heap, instead of one each: what one has freed, another uses. Large
// tensors of batches have a pool of their own.
//
// Has libtorch compute with as many threads as OMP_NUM_THREADS asks for, as it does by itself up to
// 1.13: newer versions take the number of cores where that is less, and other numbers of threads
// round differently. Then bind_blas_threads().
void set_up_process();

// In a program that has ptp as a library: what does not change how the program itself works.
void set_up_embedded();

// Has OpenBLAS use as many threads as libtorch does. Its build for POSIX threads starts one for
// each core whatever libtorch's setting is; between two products they spin, on the cores that load
// the data.
void bind_blas_threads();

// What libraries for CUDA devices read from the environment, where it is not set. cuBLAS adds up in
// the same order each time with this size of its memory. A sum of NCCL's that fails is reported by
// wait(), as one of gloo's is: otherwise threads of libtorch would end the process. [main], before
// there are other threads
void set_device_environment();

// "cpu", "cuda" or "cuda:N" as a device that is there. From then on the process takes algorithms on
// CUDA devices that have the same bits each time, where there are some
// (determinism_warnings.hpp); not if `is_deterministic` is false. Throws RunError with
// kConfigurationError. [main]
at::Device usable_device(const std::string& name, bool is_deterministic);

}  // namespace ptp::engine
