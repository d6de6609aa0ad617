// Records the inputs and outputs of one component while a training runs, call by call, so that a
// build of it can be run on them alone: docs/authoring/recorded-streams.md.
//
// A recording changes nothing: values are copied, no random number is drawn, and only those
// functions of the component are called that a checkpoint would call.

#pragma once

#include "base/value.hpp"
#include "engine/component/call.hpp"
#include "engine/component/frame.hpp"
#include "engine/component/instance.hpp"
#include "engine/component/saved_state.hpp"
#include "pipeline/plan.hpp"

#include <ptp/abi.h>
#include <ptp/ext/task.h>

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace ptp::engine {

// A call that is being recorded.
struct RecordedCall {
    Value facts = Value::table();
    TensorsByName tensors;
    TensorsByName gradients;
    bool is_complete = false;
    bool begins_batch = false;
    bool waits_for_gradients = false;  // until the next call begins
    bool is_kept = false;              // in whole, by Options::keep
    std::size_t kept_tensors = 0;      // the number of leading tensors
    bool has_several_passes = false;   // backward, which would be mixed up
};

// [any] unless stated otherwise; must outlive the instance.
class Recorder {
public:
    struct Options {
        std::string path;              // Node::path of the component
        std::uint64_t batches = 1;     // the number to record; others are ignored
        Value facts = Value::table();  // further content of the record, such as versions
        // Called once, when all batches are complete, with the record and all tensors.
        std::function<void(const SavedState&)> write;
        // (optional) Called with each part of the record as soon as it is complete, so that a
        // killed process leaves what it has recorded: first the facts, and the number of batches
        // `asked` for; then the inputs of each call, before the call, and the rest, after it. Every
        // tensor of `write` is passed to it first.
        std::function<void(const SavedState&)> keep = {};
    };
    using CallPointer = std::shared_ptr<RecordedCall>;

    explicit Recorder(Options options) : options_(std::move(options)) {}

    // [main] Called before the component of this node is created. Returns whether it is the one to
    // record: its calls are recorded from then on. Of several, such as newer builds, only the first
    // is.
    bool begin(const ComponentContext& context, const pipeline::Node& node);
    void created(Instance& instance);
    void forget() { instance_ = nullptr; }
    // [main] Starts recording batches: those fetched earlier do not belong to the training.
    void start();

    // Called before a batch. Returns nullptr if it is not recorded.
    CallPointer begin_forward(const ptp_step& step, const CallValues& values);
    CallPointer begin_transform(const BatchSamples& samples, const CallValues& values);
    CallPointer begin_fetch(const ptp_fetch& fetch);
    // Held from before begin_fetch() until after end() by a task that makes batches one after the
    // other and whose state depends on their order.
    [[nodiscard]] std::unique_lock<std::mutex> in_order() {
        return std::unique_lock<std::mutex>(order_);
    }
    // Ends the call. If the call has failed, the recorded inputs stay.
    void end(const CallPointer& call, const CallValues& values);
    void fail(const CallPointer& call);

    // [main] Records another call of the component.
    void add_mode(bool is_training);
    void add_import(const Instance::State& state);
    void add_reset(std::uint64_t set);
    // Records "collect" or "aggregate", and the values of all declared statistics.
    void add_statistics(const char* call, std::uint64_t set, const double* values);

    // [main] At the end of the training, writes the recording unless that has been done.
    void finish();

    [[nodiscard]] std::uint64_t batches() const { return batches_; }
    [[nodiscard]] bool is_cut() const { return is_cut_; }  // it would have been too large
    // Returns whether the state at the end is missing: only the main thread exports it, which it
    // cannot do directly after the last batch if loader threads make the batches.
    [[nodiscard]] bool lacks_state() const { return lacks_state_; }

private:
    CallPointer begin_batch(const char* name, const std::string& step);
    void stop(std::unique_lock<std::mutex>& lock);
    void add_given(RecordedCall& call);
    void add_changed(RecordedCall& call);
    void add_values(RecordedCall& call, const char* what,
                    const std::vector<pipeline::Binding>& bindings,
                    std::span<const ptp_value* const> values,
                    std::span<const ptp_element> elements);
    void add_tensor(RecordedCall& call, const std::string& name, const at::Tensor& tensor);
    void add_value(RecordedCall& call, const std::string& name, ptp_element element,
                   const ptp_value* value);
    void watch_inputs(const CallPointer& call, const CallValues& values);
    void watch_outputs(const CallPointer& call, const CallValues& values);
    void watch_parameters();
    void add_gradient(const CallPointer& call, const std::string& name, const at::Tensor& gradient);
    void add_event(Value facts, TensorsByName tensors = {});
    void keep_begun(RecordedCall& call);
    void keep_ended();
    void keep_part(std::size_t index, RecordedCall& call);
    [[nodiscard]] std::string stream_name(const pipeline::Binding& binding) const;
    [[nodiscard]] bool keeps_gradients() const;
    [[nodiscard]] bool is_only_reader(int stream) const;
    SavedState assembled();

    const Options options_;
    std::mutex order_;  // taken before mutex_
    std::mutex mutex_;  // guards everything below
    const pipeline::Plan* plan_ = nullptr;
    const pipeline::Node* node_ = nullptr;
    Instance* instance_ = nullptr;
    Value record_ = Value::table();
    std::vector<CallPointer> calls_;  // in the order in which they began
    CallPointer latest_;              // the next gradients belong to it
    std::vector<NamedTensor> seen_;   // its tensors, as the recording knows them
    std::vector<at::Tensor> generators_;
    std::vector<std::string> trained_;
    std::size_t pictures_before_ = 0;                       // before the latest forward()
    std::vector<std::pair<at::Tensor, unsigned>> watched_;  // parameters, and their hooks
    std::string last_step_;
    std::uint64_t batches_ = 0;
    std::uint64_t bytes_ = 0;
    std::thread::id main_thread_;
    std::size_t ended_kept_ = 0;  // the first call that is not yet kept in whole
    bool is_begin_kept_ = false;
    bool lacks_state_ = false;
    bool is_in_flight_ = false;  // another thread was in a call when the training ended
    int running_ = 0;
    bool is_started_ = false;
    bool is_cut_ = false;
    bool is_over_ = false;
    bool is_written_ = false;
};

// Makes a call, which is recorded unless `call` is nullptr.
template <class Work>
void record_call(Recorder* recorder, const Recorder::CallPointer& call, const CallValues& values,
                 Work work) {
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

}  // namespace ptp::engine
