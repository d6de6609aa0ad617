// What of the machine the last bits of a result may depend on, by name.

#pragma once

#include <c10/core/Device.h>

#include <string>

namespace ptp::engine {

// The processor's model; "" where the system does not tell.
std::string cpu_name();

// For which instructions libtorch chooses its kernels: "AVX2", "AVX512", "Default".
std::string cpu_instructions();

// What the library that multiplies matrices says of itself, with the kernels that it has chosen, such
// as "OpenBLAS 0.3.21 DYNAMIC_ARCH Haswell"; "" where it says nothing.
std::string blas_build();

// For which instructions oneDNN chooses its kernels, as its number in hexadecimal: "0x7" is AVX2;
// "" without oneDNN.
std::string onednn_isa();

// "cpu", or "cuda:0 NVIDIA H200"; without the model where no driver tells it.
std::string device_name(at::Device device);

// What a device's driver says of its version; "" for the processor, or where it says nothing.
std::string driver_version(at::Device device);

}  // namespace ptp::engine
