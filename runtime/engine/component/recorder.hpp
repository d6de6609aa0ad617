// Keeps what flows into and out of one component while a training runs, call by call, so that a
// build of it can be fed with that alone: docs/authoring/recorded-streams.md.
//
// A recording changes nothing: values are copied, no random number is drawn, and the
// component is asked for nothing that a checkpoint would not ask it for.

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

// One call that is being recorded.
struct RecordedCall {
    Value facts = Value::table();
    TensorsByName tensors;
    TensorsByName gradients;
    bool is_complete = false;
    bool begins_batch = false;
    bool waits_for_gradients = false;  // until the next call begins
    bool is_kept = false;              // all of it, by Options::keep
    std::size_t kept_tensors = 0;      // the first ones
    bool has_several_passes = false;   // backward, which would be mixed up
};

// [any] unless stated otherwise; must outlive the instance.
class Recorder {
public:
    struct Options {
        std::string path;              // Node::path of the component
        std::uint64_t batches = 1;     // that are recorded; others are not looked at
        Value facts = Value::table();  // what the record has besides, such as versions
        // Called once, as soon as all batches are there: with the record and all tensors.
        std::function<void(const SavedState&)> write;
        // (optional) Called with each part of the record as soon as it is there, so that a process
        // that is killed leaves what it has recorded: first the facts, and how many batches are
        // `asked` for; then for each call what goes in, before the call, and the rest, behind it.
        // All tensors of `write` are in one of them before.
        std::function<void(const SavedState&)> keep = {};
    };
    using CallPointer = std::shared_ptr<RecordedCall>;

    explicit Recorder(Options options) : options_(std::move(options)) {}

    // [main] The component of this node is about to be created. Whether it is the one: its calls
    // are recorded from then on. Of several, such as newer builds, only the first is.
    bool begin(const ComponentContext& context, const pipeline::Node& node);
    void created(Instance& instance);
    void forget() { instance_ = nullptr; }
    // [main] From here on batches are recorded: what was fetched before is not the training's.
    void start();

    // Before a batch; nullptr where it is not recorded.
    CallPointer begin_forward(const ptp_step& step, const CallValues& values);
    CallPointer begin_transform(const BatchSamples& samples, const CallValues& values);
    CallPointer begin_fetch(const ptp_fetch& fetch);
    // Held from before begin_fetch() until after end() by a task that makes one batch after the
    // other, whose state follows from their order.
    [[nodiscard]] std::unique_lock<std::mutex> in_order() {
        return std::unique_lock<std::mutex>(order_);
    }
    // After it; what went in stays where the call has failed.
    void end(const CallPointer& call, const CallValues& values);
    void fail(const CallPointer& call);

    // [main] What else is asked of the component.
    void add_mode(bool is_training);
    void add_import(const Instance::State& state);
    void add_reset(std::uint64_t set);
    // "collect" or "aggregate", and the numbers of all declared statistics.
    void add_statistics(const char* call, std::uint64_t set, const double* values);

    // [main] At the end of the training: writes what is there, if that has not been done.
    void finish();

    [[nodiscard]] std::uint64_t batches() const { return batches_; }
    [[nodiscard]] bool is_cut() const { return is_cut_; }  // there would have been too many bytes
    // The state at the end is exported by the main thread alone, which cannot do so right behind
    // the last batch where loader threads make them.
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
    std::mutex mutex_;  // all below
    const pipeline::Plan* plan_ = nullptr;
    const pipeline::Node* node_ = nullptr;
    Instance* instance_ = nullptr;
    Value record_ = Value::table();
    std::vector<CallPointer> calls_;  // in the order in which they began
    CallPointer latest_;              // whose gradients come next
    std::vector<NamedTensor> seen_;   // its tensors, as they are known to the recording
    std::vector<at::Tensor> generators_;
    std::vector<std::string> trained_;
    std::size_t pictures_before_ = 0;                       // the latest forward()
    std::vector<std::pair<at::Tensor, unsigned>> watched_;  // parameters, and their hooks
    std::string last_step_;
    std::uint64_t batches_ = 0;
    std::uint64_t bytes_ = 0;
    std::thread::id main_thread_;
    std::size_t ended_kept_ = 0;  // the first call that is not kept whole
    bool is_begin_kept_ = false;
    bool lacks_state_ = false;
    bool is_in_flight_ = false;  // another thread was in a call when the training ended
    int running_ = 0;
    bool is_started_ = false;
    bool is_cut_ = false;
    bool is_over_ = false;
    bool is_written_ = false;
};

// Makes a call that is recorded, or that is not: nullptr.
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
