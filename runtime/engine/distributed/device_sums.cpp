#ifdef PTP_HAS_NCCL
#define USE_C10D_NCCL  // as libtorch was built; its header asks for it
#endif

#include "engine/distributed/device_sums.hpp"

#ifdef PTP_HAS_NCCL
#include <ATen/cuda/CUDAContext.h>
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>
#endif

#include <memory>
#include <stdexcept>
#include <utility>

namespace ptp::engine {

#ifdef PTP_HAS_NCCL

namespace {

// Ends what NCCL has begun before it is destroyed, as its documentation asks for.
class Connection {
public:
    Connection(c10::intrusive_ptr<c10d::Store> store, int rank, int size,
               std::chrono::milliseconds timeout)
        : nccl_(c10::make_intrusive<c10d::ProcessGroupNCCL>(std::move(store), rank, size,
                                                            options(timeout))) {}
    ~Connection() { nccl_->shutdown(); }
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    c10::intrusive_ptr<c10d::Work> sum(std::vector<at::Tensor>& tensor) {
        return nccl_->allreduce(tensor, {});
    }

private:
    static c10::intrusive_ptr<c10d::ProcessGroupNCCL::Options> options(
        std::chrono::milliseconds timeout) {
        auto made = c10d::ProcessGroupNCCL::Options::create();
        made->timeout = timeout;
        return made;
    }

    c10::intrusive_ptr<c10d::ProcessGroupNCCL> nccl_;
};

}  // namespace

bool has_device_sums() {
    return true;
}

std::string device_id(at::Device device) {
    const cudaUUID_t& id = at::cuda::getDeviceProperties(device.index())->uuid;
    return {id.bytes, sizeof(id.bytes)};
}

DeviceSum connect_devices(c10::intrusive_ptr<c10d::Store> store, std::int64_t rank,
                          std::int64_t size, std::chrono::milliseconds timeout) {
    const auto connection = std::make_shared<Connection>(std::move(store), static_cast<int>(rank),
                                                         static_cast<int>(size), timeout);
    return [connection](std::vector<at::Tensor>& tensor) { return connection->sum(tensor); };
}

#else

bool has_device_sums() {
    return false;
}

std::string device_id(at::Device) {
    return "";
}

DeviceSum connect_devices(c10::intrusive_ptr<c10d::Store>, std::int64_t, std::int64_t,
                          std::chrono::milliseconds) {
    throw std::logic_error("this build of ptp has no NCCL");
}

#endif

}  // namespace ptp::engine
