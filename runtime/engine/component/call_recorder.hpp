// The interface through which the instance of one component reports its calls, for `ptprun record`.
// A recorder changes nothing; solo/recorder.cpp has the one that writes recordings.

#pragma once

#include "engine/component/call.hpp"
#include "engine/component/frame.hpp"
#include "engine/component/instance.hpp"
#include "pipeline/plan.hpp"

#include <ptp/abi.h>
#include <ptp/ext/task.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

namespace ptp::engine {

struct RecordedCall;

// [any] unless stated otherwise; must outlive the instance.
class CallRecorder {
public:
    using CallPointer = std::shared_ptr<RecordedCall>;

    CallRecorder() = default;
    virtual ~CallRecorder() = default;
    CallRecorder(const CallRecorder&) = delete;
    CallRecorder& operator=(const CallRecorder&) = delete;

    // [main] Called before the component of this node is created. Returns whether it is the one to
    // record: its calls are recorded from then on. Of several, such as newer builds, only the first
    // is.
    virtual bool begin(const ComponentContext& context, const pipeline::Node& node) = 0;
    virtual void created(Instance& instance) = 0;
    virtual void forget() = 0;
    // [main] Starts recording batches: those fetched earlier do not belong to the training.
    virtual void start() = 0;

    // Called before a batch. Return nullptr if it is not recorded.
    virtual CallPointer begin_forward(const ptp_step& step, const CallValues& values) = 0;
    virtual CallPointer begin_transform(const BatchSamples& samples, const CallValues& values) = 0;
    virtual CallPointer begin_fetch(const ptp_fetch& fetch) = 0;
    // Held from before begin_fetch() until after end() by a task that makes batches one after the
    // other and whose state depends on their order.
    [[nodiscard]] virtual std::unique_lock<std::mutex> in_order() = 0;
    // Ends the call. If the call has failed, the recorded inputs stay.
    virtual void end(const CallPointer& call, const CallValues& values) = 0;
    virtual void fail(const CallPointer& call) = 0;

    // [main] Records another call of the component.
    virtual void add_mode(bool is_training) = 0;
    virtual void add_import(const Instance::State& state) = 0;
    virtual void add_reset(std::uint64_t set) = 0;
    // Records "collect" or "aggregate", and the values of all declared statistics.
    virtual void add_statistics(const char* call, std::uint64_t set, const double* values) = 0;

    // [main] At the end of the training, writes the recording unless that has been done. Throws
    // RunError if it cannot be written; after an error of the training, only logs that.
    virtual void finish() = 0;
    virtual void finish_after_error() noexcept = 0;

    // Returns "recorded 10 batches of pipeline.model in FILE".
    [[nodiscard]] virtual std::string summary() const = 0;
};

// Makes a call, which is recorded unless `call` is nullptr.
template <class Work>
void record_call(CallRecorder* recorder, const CallRecorder::CallPointer& call,
                 const CallValues& values, Work work) {
    if (call == nullptr) {
        work();
        return;
    }
    try {
        work();
    } catch (...) {
        recorder->fail(call);
        throw;
    }
    recorder->end(call, values);
}

// Trains. The recording, if any, is written at the end, even of a training that fails.
template <class Train>
int record_training(CallRecorder* recorder, Train train) {
    if (recorder == nullptr) {
        return train();
    }
    int code = 0;
    try {
        code = train();
    } catch (...) {
        recorder->finish_after_error();
        throw;
    }
    recorder->finish();
    return code;
}

}  // namespace ptp::engine
