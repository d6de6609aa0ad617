#include "engine/distributed/device_sums.hpp"

#include <doctest/doctest.h>
#include <torch/cuda.h>
#include <torch/types.h>
#include <torch/csrc/distributed/c10d/HashStore.hpp>

#include <chrono>
#include <vector>

namespace device_sums_test {

namespace {

bool is_skipped() {
    if (ptp::engine::has_device_sums() && torch::cuda::device_count() > 0) {
        return false;
    }
    MESSAGE("skipped: there is no CUDA device, or this build has no NCCL");
    return true;
}

}  // namespace

// NCCL refuses two processes on one device, and most machines with a device have one.
TEST_CASE("device sums: NCCL gives one process its own tensor back, of each type") {
    if (is_skipped()) {
        return;
    }
    constexpr std::chrono::milliseconds kLimit{30000};
    const ptp::engine::DeviceSum sum = ptp::engine::connect_devices(
        c10::make_intrusive<c10d::HashStore>(),
        {.device = at::Device(at::kCUDA, 0), .connecting = kLimit, .timeout = kLimit});
    for (const at::ScalarType type :
         {at::kFloat, at::kDouble, at::kHalf, at::kBFloat16, at::kLong}) {
        const at::Tensor tensor = torch::arange(1000).to(at::kCUDA, type);
        std::vector<at::Tensor> sent = {tensor};
        for (int i = 0; i < 3; ++i) {
            CHECK(sum(sent)->wait(kLimit));
        }
        CHECK(torch::equal(tensor.cpu(), torch::arange(1000).to(type)));
    }
}

TEST_CASE("device sums: a process that does not come ends the connection after its limit") {
    if (is_skipped()) {
        return;
    }
    constexpr std::chrono::milliseconds kLimit{2000};
    CHECK_THROWS_WITH(ptp::engine::connect_devices(c10::make_intrusive<c10d::HashStore>(),
                                                   {.rank = 0,
                                                    .size = 2,
                                                    .device = at::Device(at::kCUDA, 0),
                                                    .connecting = kLimit,
                                                    .timeout = kLimit}),
                      "NCCL has not connected the devices in time");
}

}  // namespace device_sums_test
