// Copies on a stream of their own, for which the stream of the step waits.

#include "engine/component/copy_ahead.hpp"

#include "base/ranges.hpp"

#include <c10/core/Storage.h>
#include <c10/core/impl/InlineStreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>

namespace ptp::engine {

namespace {

// Returns the tensors of a slot that has content. Tensors that were not written are undefined.
std::vector<at::Tensor*> tensors_in(Slot& slot) {
    if (slot.is_dropped) {
        return {};
    }
    if (is_tensor(slot.element)) {
        return {&slot.tensor};
    }
    return transformed(slot.list.tensors(), [](at::Tensor& tensor) { return &tensor; });
}

}  // namespace

std::unique_ptr<CopyAhead> CopyAhead::to(at::Device device) {
    return device.is_cpu()
               ? nullptr
               : std::make_unique<CopyAhead>(device, *c10::impl::getDeviceGuardImpl(device.type()));
}

void CopyAhead::pin(std::vector<Slot>& slots) const {
    for (Slot& slot : slots) {
        for (at::Tensor* tensor : tensors_in(slot)) {
            if (tensor->defined()) {
                *tensor = pinned(*tensor);
            }
        }
    }
}

// The device's allocator keeps pinned memory until the work enqueued with it is done.
std::shared_ptr<const SentBatch> CopyAhead::send(std::vector<Slot>& slots) const {
    const c10::impl::InlineStreamGuard<c10::impl::VirtualGuardImpl> guard(stream_, &streams_);
    for (Slot& slot : slots) {
        slot.ahead.clear();
        for (const at::Tensor* tensor : tensors_in(slot)) {
            slot.ahead.push_back(tensor->defined() ? copied(*tensor) : at::Tensor());
        }
    }
    return std::make_shared<const SentBatch>(streams_, stream_);
}

SentBatch::SentBatch(const c10::impl::DeviceGuardImplInterface& streams, c10::Stream stream)
    : streams_(streams), device_(stream.device()) {
    streams_.record(&event_, stream, device_.index(), c10::EventFlag::PYTORCH_DEFAULT);
}

SentBatch::~SentBatch() {
    streams_.destroyEvent(event_, device_.index());
}

at::Tensor SentBatch::arrived(const at::Tensor& copy) const {
    if (copy.defined()) {
        const c10::Stream step = streams_.getStream(device_);
        streams_.block(event_, step);
        streams_.recordDataPtrOnStream(copy.storage().data_ptr(), step);
    }
    return copy;
}

}  // namespace ptp::engine
