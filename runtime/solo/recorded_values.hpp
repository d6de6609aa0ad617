// Reads what a recording has: the values of its calls, and the plan for a build of its component,
// which may be another one.

#pragma once

#include "base/value.hpp"
#include "solo/lone_component.hpp"
#include "solo/recording_file.hpp"
#include "solo/replay_report.hpp"

#include <ptp/abi.h>

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace ptp::solo {

// The values of one recorded call, which are passed to a component and compared with its results.
// The recording must outlive it. Names are those within the call: "input/images".
class RecordedValues {
public:
    RecordedValues(const Recording& recording, std::size_t number)
        : recording_(recording),
          facts_(recording.calls()[number]),
          prefix_(std::to_string(number) + "/") {}

    [[nodiscard]] const Value& facts() const { return facts_; }
    [[nodiscard]] const at::Tensor* tensor(const std::string& name) const {
        return recording_.tensor(prefix_ + name);
    }
    // Returns an undefined tensor if there is none of this name.
    [[nodiscard]] at::Tensor value(const std::string& name) const {
        return tensor(name) == nullptr ? at::Tensor() : *tensor(name);
    }

    // Returns all whose names begin with "given/", without this prefix.
    [[nodiscard]] TensorsByName tensors(const std::string& group) const;

    // Return facts; an absent one is false, or has no items. Throw RunError with kDataError.
    [[nodiscard]] std::int64_t integer(const char* name) const;
    [[nodiscard]] const std::string& text(const char* name) const;
    [[nodiscard]] bool is_set(const char* name) const { return facts_.is_true_at(name); }
    [[nodiscard]] std::vector<Value> items(const char* name) const;
    [[nodiscard]] std::vector<std::string> texts(const char* name) const;

    // Puts a value into a slot on a device, with its strides and whether gradients flow to it. Does
    // nothing if it was undefined. Throws RunError with kDataError.
    void fill(const std::string& name, at::Device device, Slot& slot) const;

    // Compares a value, unless there was none of this name; `what` is "the stream 'logits'".
    void compare(const std::string& name, const std::string& what, const Slot& slot,
                 ReplayReport& report) const;

private:
    [[nodiscard]] bool is_listed(const char* list, const std::string& name) const;
    [[nodiscard]] const Value* fact_of(const char* table, const std::string& name) const;
    [[nodiscard]] at::Tensor filled(const std::string& name, at::Device device) const;
    [[nodiscard]] const at::Tensor& required(const std::string& name, at::ScalarType type) const;
    void fill_text(const std::string& name, Slot& slot) const;

    const Recording& recording_;
    const Value& facts_;
    const std::string prefix_;
};

// Makes a plan around a build of the recorded component, with the recorded streams, sizes and
// globals. The recording must outlive it. Throws RunError with kPluginError if the build cannot be
// used like the recorded one.
std::unique_ptr<LonePlan> recorded_plan(const Recording& recording,
                                        const plugin::CatalogEntry& plugin,
                                        const std::filesystem::path& home);

struct Replayed {
    const Recording& recording;
    const LonePlan& plan;
    const ptp_component_info& info;
    std::filesystem::path folder;  // for its output
};

// Creates the component, makes all recorded calls, each with the weights, random numbers and values
// of that call, so that one difference does not cause the next, and compares the results. Throws
// RunError, naming the call.
void replay_calls(const Replayed& parts, ReplayReport& report);

}  // namespace ptp::solo
