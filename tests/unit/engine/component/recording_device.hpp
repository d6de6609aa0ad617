// A device that records in which order it is called, and copies to it. Its pool has one stream, 7;
// the step's is 0. Loader threads pin batches, which is counted apart.

#pragma once

#include "engine/component/copy_ahead.hpp"

#include <ATen/core/Tensor.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>

#include <atomic>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace ptp::test {

inline constexpr c10::DeviceType kDevice = c10::DeviceType::PrivateUse1;

using Calls = std::vector<std::string>;

// [any]
class CallLog {
public:
    void add(std::string call) {
        const std::lock_guard<std::mutex> lock(mutex_);
        calls_.push_back(std::move(call));
    }
    // What was called since the last time.
    Calls take() {
        const std::lock_guard<std::mutex> lock(mutex_);
        return std::exchange(calls_, {});
    }

private:
    std::mutex mutex_;
    Calls calls_;
};

class Recorder final : public c10::impl::DeviceGuardImplInterface {
public:
    explicit Recorder(CallLog& calls) : calls_(calls) {}

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
        calls_.add("current is " + std::to_string(current_));
        return c10::Stream(c10::Stream::UNSAFE, stream.device(), before);
    }
    c10::Stream getStreamFromGlobalPool(c10::Device device, bool) const override {
        return c10::Stream(c10::Stream::UNSAFE, device, 7);
    }
    void record(void**, const c10::Stream& stream, const c10::DeviceIndex,
                const c10::EventFlag) const override {
        calls_.add("record on " + std::to_string(stream.id()));
    }
    void block(void*, const c10::Stream& stream) const override {
        calls_.add("block " + std::to_string(stream.id()));
    }
    void destroyEvent(void*, const c10::DeviceIndex) const noexcept override {
        calls_.add("destroy");
    }
    void recordDataPtrOnStream(const c10::DataPtr&, const c10::Stream& stream) const override {
        calls_.add("keep for " + std::to_string(stream.id()));
    }

private:
    CallLog& calls_;
    mutable c10::StreamId current_ = 0;
};

struct Copies {
    class Ahead final : public engine::CopyAhead {
    public:
        explicit Ahead(Copies& copies)
            : CopyAhead(c10::Device(kDevice, 0), copies.device), copies_(copies) {}

    private:
        [[nodiscard]] at::Tensor pinned(const at::Tensor& tensor) const override {
            ++copies_.pinned;
            return tensor.clone();
        }
        [[nodiscard]] at::Tensor copied(const at::Tensor& tensor) const override {
            copies_.calls.add("copy");
            return tensor.clone();
        }

        Copies& copies_;
    };

    CallLog calls;
    std::atomic<int> pinned = 0;
    Recorder device{calls};
    Ahead ahead{*this};
};

}  // namespace ptp::test
