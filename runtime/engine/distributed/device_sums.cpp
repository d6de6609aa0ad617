// Sums of tensors on CUDA devices, by NCCL if libtorch has it.

#ifdef PTP_HAS_NCCL
#define USE_C10D_NCCL  // as libtorch was built; its header requires it
#endif

#include "engine/distributed/device_sums.hpp"

#ifdef PTP_HAS_NCCL
#include <ATen/cuda/CUDAContext.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>
#endif

#include <cassert>
#include <exception>
#include <future>
#include <memory>
#include <stdexcept>
#include <thread>
#include <utility>

namespace ptp::engine {

#ifdef PTP_HAS_NCCL

namespace {

// Shuts NCCL down before it is destroyed, as its documentation requires.
class Connection {
public:
    Connection(c10::intrusive_ptr<c10d::Store> store, const DevicePlace& place)
        : nccl_(c10::make_intrusive<c10d::ProcessGroupNCCL>(
              std::move(store), static_cast<int>(place.rank), static_cast<int>(place.size),
              options(place.timeout))) {}
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

// Makes the first sum, in which NCCL connects the devices, and which has no time limit of its own:
// a thread that hangs there is abandoned.
void sum_once(const std::shared_ptr<Connection>& connection, const DevicePlace& place) {
    std::promise<void> promise;
    std::future<void> end = promise.get_future();
    std::thread([connection, place, promise = std::move(promise)]() mutable {
        try {
            std::vector<at::Tensor> tensor = {at::zeros({1}, place.device)};
            connection->sum(tensor)->wait(place.connecting);
            promise.set_value();
        } catch (...) {
            promise.set_exception(std::current_exception());
        }
    }).detach();
    if (end.wait_for(place.connecting) != std::future_status::ready) {
        throw std::runtime_error("NCCL has not connected the devices in time");
    }
    end.get();
}

}  // namespace

bool has_device_sums() {
    return true;
}

std::string device_id(at::Device device) {
    const cudaUUID_t& id = at::cuda::getDeviceProperties(device.index())->uuid;
    return {id.bytes, sizeof(id.bytes)};
}

DeviceSum connect_devices(c10::intrusive_ptr<c10d::Store> store, const DevicePlace& place) {
    assert(has_device_sums());
    const auto connection = std::make_shared<Connection>(std::move(store), place);
    sum_once(connection, place);
    return [connection](std::vector<at::Tensor>& tensor) { return connection->sum(tensor); };
}

#else

bool has_device_sums() {
    return false;
}

std::string device_id(at::Device) {
    return "";
}

DeviceSum connect_devices(c10::intrusive_ptr<c10d::Store>, const DevicePlace&) {
    throw std::logic_error("this build of ptp has no NCCL");
}

#endif

}  // namespace ptp::engine
