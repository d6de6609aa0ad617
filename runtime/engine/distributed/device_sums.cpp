#ifdef PTP_HAS_NCCL
#define USE_C10D_NCCL  // as libtorch was built; its header asks for it
#endif

#include "engine/distributed/device_sums.hpp"

#ifdef PTP_HAS_NCCL
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>
#endif

#include <cstdlib>
#include <stdexcept>
#include <utility>

namespace ptp::engine {

#ifdef PTP_HAS_NCCL

bool has_device_sums() {
    return true;
}

DeviceSum connect_devices(c10::intrusive_ptr<c10d::Store> store, std::int64_t rank,
                          std::int64_t size, std::chrono::milliseconds timeout) {
    // A sum that fails is reported by wait(). Otherwise a thread of libtorch's would end the
    // process.
    constexpr int kKeep = 0;
    setenv("TORCH_NCCL_ASYNC_ERROR_HANDLING", "0", kKeep);
    auto options = c10d::ProcessGroupNCCL::Options::create();
    options->timeout = timeout;
    auto nccl = c10::make_intrusive<c10d::ProcessGroupNCCL>(
        std::move(store), static_cast<int>(rank), static_cast<int>(size), std::move(options));
    return [nccl = std::move(nccl)](std::vector<at::Tensor>& tensor) {
        return nccl->allreduce(tensor, {});
    };
}

#else

bool has_device_sums() {
    return false;
}

DeviceSum connect_devices(c10::intrusive_ptr<c10d::Store>, std::int64_t, std::int64_t,
                          std::chrono::milliseconds) {
    throw std::logic_error("this build of ptp has no NCCL");
}

#endif

}  // namespace ptp::engine
