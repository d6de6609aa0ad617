// Records the inputs and outputs of one component while a training runs, call by call, so that a
// build of it can be run on them alone: docs/authoring/recorded-streams.md.
//
// A recording changes nothing: values are copied, no random number is drawn, and only those
// functions of the component are called that a checkpoint would call.

#pragma once

#include "base/value.hpp"
#include "engine/component/call_recorder.hpp"
#include "engine/component/saved_state.hpp"
#include "solo/lone_component.hpp"
#include "solo/unfinished_recording.hpp"

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
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
    bool is_kept = false;              // in whole, by RecordingWriter::keep()
    std::size_t kept_tensors = 0;      // the number of leading tensors
    bool has_several_passes = false;   // backward, which would be mixed up
};

}  // namespace ptp::engine

namespace ptp::solo {

using engine::CallValues;
using engine::ComponentContext;
using engine::RecordedCall;

class Recorder final : public engine::CallRecorder {
public:
    explicit Recorder(engine::RecordingRequest request) : writer_(std::move(request)) {}

    bool begin(const ComponentContext& context, const pipeline::Node& node) override;
    void created(Instance& instance) override;
    void forget() override { instance_ = nullptr; }
    void start() override;

    CallPointer begin_forward(const ptp_step& step, const CallValues& values) override;
    CallPointer begin_transform(const BatchSamples& samples, const CallValues& values) override;
    CallPointer begin_fetch(const ptp_fetch& fetch) override;
    [[nodiscard]] std::unique_lock<std::mutex> in_order() override {
        return std::unique_lock<std::mutex>(order_);
    }
    void end(const CallPointer& call, const CallValues& values) override;
    void fail(const CallPointer& call) override;

    void add_mode(bool is_training) override;
    void add_import(const Instance::State& state) override;
    void add_reset(std::uint64_t set) override;
    void add_statistics(const char* call, std::uint64_t set, const double* values) override;

    void finish() override;
    void finish_after_error() noexcept override;
    [[nodiscard]] std::string summary() const override;

private:
    CallPointer begin_batch(const char* name, const std::string& step,
                            std::unique_lock<std::mutex>& lock);
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
    void watch(const CallPointer& call, const std::string& name, const ptp_value* value);
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

    RecordingWriter writer_;
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

// Returns the facts that a component is created with: its place, settings, streams and their
// shapes, globals and sizes, as far as they are known when it is created. [main]
Value recorded_facts(const ComponentContext& context, const pipeline::Node& node);

// Returns a list of texts or of numbers, which TOML has as signed integers.
template <class Items>
Value recorded_list(const Items& items) {
    return Value::list(std::vector<Value>(items.begin(), items.end()));
}

// Returns a copy of N values in memory.
at::Tensor recorded_memory(const void* memory, std::uint64_t count, at::ScalarType type);

}  // namespace ptp::solo
