// Sums over the processes of tensors on CUDA devices, without copies in the CPU's memory.

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

// Begins the sum of a contiguous tensor, the only item of the list, which is on the process's own
// device. wait(limit) of the result blocks until the sum is complete, and throws c10::Error after
// the limit.
using DeviceSum = std::function<c10::intrusive_ptr<c10d::Work>(std::vector<at::Tensor>& tensor)>;

// Returns whether NCCL is available: libtorch has it and computes with CUDA, and its headers were
// found when ptp was built.
bool has_device_sums();

// Returns a unique identifier of a CUDA device, across hosts, or "" without NCCL.
std::string device_id(at::Device device);

// One of the processes that NCCL connects; each has its own device.
struct DevicePlace {
    std::int64_t rank = 0;
    std::int64_t size = 1;
    at::Device device;
    std::chrono::milliseconds connecting;  // time limit
    std::chrono::milliseconds timeout;     // for each sum
};

// Connects them by NCCL, if there are device sums, after set_device_environment(). Throws
// std::exception if that fails or takes too long.
DeviceSum connect_devices(c10::intrusive_ptr<c10d::Store> store, const DevicePlace& place);

}  // namespace ptp::engine
