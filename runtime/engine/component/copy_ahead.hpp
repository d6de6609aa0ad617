// Copies a batch to the run's device while the previous step still computes there: from pinned
// memory, on a separate stream, for which the step's stream waits without the CPU.

#pragma once

#include "engine/component/slot.hpp"

#include <c10/core/Device.h>
#include <c10/core/Stream.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>

#include <memory>
#include <vector>

namespace ptp::engine {

// Copies in progress.
class SentBatch {
public:
    // Marks the end of the work enqueued on the stream. `streams` must outlive it.
    SentBatch(const c10::impl::DeviceGuardImplInterface& streams, c10::Stream stream);
    ~SentBatch();
    SentBatch(const SentBatch&) = delete;
    SentBatch& operator=(const SentBatch&) = delete;

    // [main] Makes later work of the current stream wait for this copy, and keeps the copy's memory
    // from being reused before that work is done. Returns the copy.
    [[nodiscard]] at::Tensor arrived(const at::Tensor& copy) const;

private:
    const c10::impl::DeviceGuardImplInterface& streams_;
    at::Device device_;
    void* event_ = nullptr;
};

class CopyAhead {
public:
    // `streams` are the device's, and must outlive it.
    CopyAhead(at::Device device, const c10::impl::DeviceGuardImplInterface& streams)
        : device_(device), streams_(streams), stream_(streams.getStreamFromGlobalPool(device)) {}
    virtual ~CopyAhead() = default;
    CopyAhead(const CopyAhead&) = delete;
    CopyAhead& operator=(const CopyAhead&) = delete;

    // Returns one with libtorch's streams, or nullptr for the CPU, where no copies are needed.
    static std::unique_ptr<CopyAhead> to(at::Device device);

    // [any] Moves the tensors of a batch, which is on the CPU, to pinned memory.
    void pin(std::vector<Slot>& slots) const;

    // [main] Starts copying them into Slot::ahead.
    [[nodiscard]] std::shared_ptr<const SentBatch> send(std::vector<Slot>& slots) const;

private:
    // The operations on the device, which tests replace. copied() does not wait.
    [[nodiscard]] virtual at::Tensor pinned(const at::Tensor& tensor) const {
        return tensor.pin_memory();
    }
    [[nodiscard]] virtual at::Tensor copied(const at::Tensor& tensor) const {
        return tensor.to(device_, true);
    }

    at::Device device_;
    const c10::impl::DeviceGuardImplInterface& streams_;
    c10::Stream stream_;
};

}  // namespace ptp::engine
