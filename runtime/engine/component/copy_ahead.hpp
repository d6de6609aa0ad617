// Copies a batch to the run's device while the previous step still computes there: from pinned
// memory, on a separate stream, for which the step's stream waits without the CPU.

#pragma once

#include "engine/component/slot.hpp"

#include <c10/core/Device.h>
#include <c10/core/Stream.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>

#include <functional>
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
    // The operations on a device, which tests replace.
    struct Parts {
        at::Device device;
        const c10::impl::DeviceGuardImplInterface& streams;  // must outlive it
        std::function<at::Tensor(const at::Tensor&)> pin;
        std::function<at::Tensor(const at::Tensor&)> copy;  // to the device, without waiting
    };

    explicit CopyAhead(Parts parts);

    // Returns one with libtorch's streams, or nullptr for the CPU, where no copies are needed.
    static std::unique_ptr<CopyAhead> to(at::Device device);

    // [any] Moves the tensors of a batch, which is on the CPU, to pinned memory.
    void pin(std::vector<Slot>& slots) const;

    // [main] Starts copying them into Slot::ahead.
    [[nodiscard]] std::shared_ptr<const SentBatch> send(std::vector<Slot>& slots) const;

private:
    Parts parts_;
    c10::Stream stream_;
};

}  // namespace ptp::engine
