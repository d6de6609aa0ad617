#include "engine/component/copy_ahead.hpp"

#include <ATen/Functions.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

namespace copy_ahead_test {

using ptp::engine::CopyAhead;
using ptp::engine::Slot;

namespace {

constexpr c10::DeviceType kDevice = c10::DeviceType::PrivateUse1;

using Calls = std::vector<std::string>;

// A device that notes in which order it is called. Its pool has one stream, 7; the step's is 0.
class Recorder final : public c10::impl::DeviceGuardImplInterface {
public:
    explicit Recorder(Calls& calls) : calls_(calls) {}

    c10::DeviceType type() const override { return kDevice; }
    c10::Device exchangeDevice(c10::Device) const override { return getDevice(); }
    c10::Device getDevice() const override { return {kDevice, 0}; }
    void setDevice(c10::Device) const override {}
    void uncheckedSetDevice(c10::Device) const noexcept override {}
    c10::DeviceIndex deviceCount() const noexcept override { return 1; }
    c10::Stream getStream(c10::Device device) const noexcept override {
        return c10::Stream(c10::Stream::UNSAFE, device, current_);
    }
    c10::Stream exchangeStream(c10::Stream stream) const noexcept override {
        const auto before = std::exchange(current_, stream.id());
        calls_.push_back("current is " + std::to_string(current_));
        return c10::Stream(c10::Stream::UNSAFE, stream.device(), before);
    }
    c10::Stream getStreamFromGlobalPool(c10::Device device, bool) const override {
        return c10::Stream(c10::Stream::UNSAFE, device, 7);
    }
    void record(void**, const c10::Stream& stream, const c10::DeviceIndex,
                const c10::EventFlag) const override {
        calls_.push_back("record on " + std::to_string(stream.id()));
    }
    void block(void*, const c10::Stream& stream) const override {
        calls_.push_back("block " + std::to_string(stream.id()));
    }
    void destroyEvent(void*, const c10::DeviceIndex) const noexcept override {
        calls_.push_back("destroy");
    }
    void recordDataPtrOnStream(const c10::DataPtr&, const c10::Stream& stream) const override {
        calls_.push_back("keep for " + std::to_string(stream.id()));
    }

private:
    Calls& calls_;
    mutable c10::StreamId current_ = 0;
};

struct Copies {
    Calls calls;
    Recorder device{calls};
    CopyAhead ahead{{.device = c10::Device(kDevice, 0),
                     .streams = device,
                     .pin =
                         [this](const at::Tensor& tensor) {
                             calls.emplace_back("pin");
                             return tensor.clone();
                         },
                     .copy =
                         [this](const at::Tensor& tensor) {
                             calls.emplace_back("copy");
                             return tensor.clone();
                         }}};
};

// Images, an output that nothing was written to, and a list of two tensors.
std::vector<Slot> batch() {
    std::vector<Slot> slots(3);
    slots[0].tensor = at::ones({2, 3});
    slots[2].element = PTP_TENSOR_LIST;
    slots[2].list.resize(2);
    slots[2].list.tensors() = {at::zeros({1}), at::ones({4})};
    return slots;
}

}  // namespace

TEST_CASE("copy ahead: every tensor of a batch is pinned") {
    Copies copies;
    std::vector<Slot> slots = batch();
    copies.ahead.pin(slots);
    CHECK(copies.calls == Calls{"pin", "pin", "pin"});
    CHECK_FALSE(slots[1].tensor.defined());
}

TEST_CASE("copy ahead: copies are enqueued on a stream of their own, and marked behind the last") {
    Copies copies;
    std::vector<Slot> slots = batch();
    const auto sent = copies.ahead.send(slots);
    CHECK(copies.calls ==
          Calls{"current is 7", "copy", "copy", "copy", "record on 7", "current is 0"});
    REQUIRE(slots[0].ahead.size() == 1);
    CHECK(slots[0].ahead[0].equal(slots[0].tensor));
    REQUIRE(slots[1].ahead.size() == 1);
    CHECK_FALSE(slots[1].ahead[0].defined());
    REQUIRE(slots[2].ahead.size() == 2);
    CHECK(slots[2].ahead[1].equal(slots[2].list.tensors()[1]));
}

TEST_CASE("copy ahead: the step's stream waits for the mark and keeps the copy's memory") {
    Copies copies;
    std::vector<Slot> slots = batch();
    auto sent = copies.ahead.send(slots);
    copies.calls.clear();
    CHECK(sent->arrived(slots[0].ahead[0]).equal(at::ones({2, 3})));
    CHECK_FALSE(sent->arrived(slots[1].ahead[0]).defined());
    CHECK(copies.calls == Calls{"block 0", "keep for 0"});
    sent.reset();
    CHECK(copies.calls.back() == "destroy");
}

TEST_CASE("copy ahead: on the CPU there is nothing to copy") {
    CHECK(CopyAhead::to(at::kCPU) == nullptr);
}

}  // namespace copy_ahead_test
