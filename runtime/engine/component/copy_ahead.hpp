// Copies a batch to the run's device while the step before it still computes there: from pinned
// memory, on a stream of its own, for which the step's stream then waits without the CPU.

#pragma once

#include "engine/component/slot.hpp"

#include <c10/core/Device.h>
#include <c10/core/Stream.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>

#include <functional>
#include <memory>
#include <vector>

namespace ptp::engine {

// Copies that are on their way.
class SentBatch {
public:
    // Marks the end of what is enqueued on the stream. `streams` must outlive it.
    SentBatch(const c10::impl::DeviceGuardImplInterface& streams, c10::Stream stream);
    ~SentBatch();
    SentBatch(const SentBatch&) = delete;
    SentBatch& operator=(const SentBatch&) = delete;

    // [main] What the current stream does from now on finds this copy whole, and the copy's memory
    // is not used for another one before that is done. Returns the copy.
    [[nodiscard]] at::Tensor arrived(const at::Tensor& copy) const;

private:
    const c10::impl::DeviceGuardImplInterface& streams_;
    at::Device device_;
    void* event_ = nullptr;
};

class CopyAhead {
public:
    // What it does with a device; a test has its own.
    struct Parts {
        at::Device device;
        const c10::impl::DeviceGuardImplInterface& streams;  // must outlive it
        std::function<at::Tensor(const at::Tensor&)> pin;
        std::function<at::Tensor(const at::Tensor&)> copy;  // to the device, without waiting
    };

    explicit CopyAhead(Parts parts);

    // With libtorch's streams; nullptr for the CPU, where nothing is to be copied.
    static std::unique_ptr<CopyAhead> to(at::Device device);

    // [any] Moves the tensors of a batch, which is on the CPU, to pinned memory.
    void pin(std::vector<Slot>& slots) const;

    // [main] Begins to copy them, into Slot::ahead.
    [[nodiscard]] std::shared_ptr<const SentBatch> send(std::vector<Slot>& slots) const;

private:
    Parts parts_;
    c10::Stream stream_;
};

}  // namespace ptp::engine
