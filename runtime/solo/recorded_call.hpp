// The values of a call as a recording keeps them: tensors by name, and the facts that tensors do
// not state. A recording changes nothing: values are copied, and no random number is drawn.

#pragma once

#include "base/value.hpp"
#include "engine/component/call_recorder.hpp"
#include "engine/component/saved_state.hpp"
#include "engine/request.hpp"
#include "solo/lone_component.hpp"
#include "solo/recording_file.hpp"

#include <ATen/core/Tensor.h>
#include <spdlog/logger.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace ptp::engine {

// A call that is being recorded.
struct RecordedCall {
    RecordedCall(const pipeline::Node& called, Value first_facts, std::size_t place)
        : node(called), facts(std::move(first_facts)), index(place) {}

    // Add copies; an undefined value is noted as absent.
    void add(const std::string& name, const at::Tensor& tensor);
    void add(const std::string& name, ptp_element element, const ptp_value* value);
    // Adds the values of wired inputs or outputs, as "input/STREAM".
    void add_values(const char* what, const pipeline::Plan& plan,
                    const std::vector<pipeline::Binding>& bindings,
                    std::span<const ptp_value* const> values,
                    std::span<const ptp_element> elements);

    const pipeline::Node& node;
    Value facts;
    std::size_t index;  // among all calls
    TensorsByName tensors = {};
    TensorsByName gradients = {};
    bool is_complete = false;
    bool begins_batch = false;
    bool waits_for_gradients = false;  // until the next call begins
    bool is_kept = false;              // in whole, in FILE.unfinished
    std::size_t kept_tensors = 0;      // the number of leading tensors
    bool has_several_passes = false;   // backward, which would be mixed up
};

}  // namespace ptp::engine

namespace ptp::solo {

using engine::CallValues;
using engine::ComponentContext;
using engine::RecordedCall;

// The component's own tensors and random generators, as the recording knows them.
class KnownTensors {
public:
    // Adds what others have changed since the last call: the optimizer, or a file of weights.
    void add_given(Instance& instance, RecordedCall& call);
    // Adds tensors that the component itself has changed, such as running means.
    void add_changed(Instance& instance, RecordedCall& call);

private:
    std::vector<NamedTensor> seen_;
    std::vector<at::Tensor> generators_;
    std::vector<std::string> trained_;
};

// The calls of a recording, in the order in which they began. They are in memory, and appended to
// FILE.unfinished part by part, in case the process is killed.
class RecordedCalls {
public:
    explicit RecordedCalls(std::filesystem::path file)
        : file_(std::move(file)), unfinished_(unfinished_path(file_)) {}

    // The log of the run, before anything is written.
    void set_log(std::shared_ptr<spdlog::logger> log) { log_ = std::move(log); }

    engine::CallRecorder::CallPointer add(const pipeline::Node& node, Value facts);

    // Appends what the call has before it is made, because the process may end in it; before the
    // first one, `facts` of the recording. A full disk does not end the training here.
    void keep_begun(RecordedCall& call, const Value& facts);

    // Appends the calls whose values are complete. A call that waits for gradients has all of them
    // when the next call begins.
    void keep_ended();

    // Removes all calls. Returns those that are complete as a recording with this record.
    SavedState take(Value record);

    // Writes the recording, whose tensors have all been kept before. Throws RunError.
    void write(const SavedState& whole);

private:
    void keep_part(RecordedCall& call);
    void keep(const SavedState& part);

    const std::filesystem::path file_;
    std::shared_ptr<spdlog::logger> log_;
    UnfinishedRecording unfinished_;
    bool can_keep_ = true;  // until a part could not be written
    bool is_begin_kept_ = false;
    std::vector<engine::CallRecorder::CallPointer> calls_;
    std::size_t ended_kept_ = 0;  // the first call that is not yet kept in whole
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

// Returns a dense, contiguous copy on the CPU.
at::Tensor recorded_copy(const at::Tensor& tensor);

// Makes the recorder of `ptprun record`: docs/authoring/recorded-streams.md.
std::unique_ptr<engine::CallRecorder> make_recorder(engine::RecordingRequest request);

}  // namespace ptp::solo
