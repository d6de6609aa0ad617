// Sums over the processes of tensors that are on CUDA devices, without a way through the memory of
// the CPU.

#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>
#include <torch/csrc/distributed/c10d/Store.hpp>
#include <torch/csrc/distributed/c10d/Work.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace ptp::engine {

// Begins the sum of a contiguous tensor, the one item of the list, which is on the process's own
// device. wait(limit) of the result blocks until the sum is there, and throws c10::Error after the
// limit.
using DeviceSum = std::function<c10::intrusive_ptr<c10d::Work>(std::vector<at::Tensor>& tensor)>;

// Whether NCCL is there: libtorch has it and computes with CUDA, and its headers were found when
// ptp was built.
bool has_device_sums();

// What tells a CUDA device from all others, on this host and elsewhere; "" where there is no NCCL.
std::string device_id(at::Device device);

// One of the processes that NCCL connects; each has a device of its own.
struct DevicePlace {
    std::int64_t rank = 0;
    std::int64_t size = 1;
    at::Device device;
    std::chrono::milliseconds connecting;  // how long that may take
    std::chrono::milliseconds timeout;     // of each sum
};

// Connects them by NCCL. Throws std::exception where that fails or takes too long.
// REQUIRES: has_device_sums(), and set_device_environment() before.
DeviceSum connect_devices(c10::intrusive_ptr<c10d::Store> store, const DevicePlace& place);

}  // namespace ptp::engine
