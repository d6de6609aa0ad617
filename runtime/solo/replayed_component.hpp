// A build of a component that is run on a recording: it gets every call of the recorded one, with
// the weights, random numbers and values of that call, so that one difference does not cause the
// next.

#pragma once

#include "base/value.hpp"
#include "solo/lone_component.hpp"
#include "solo/recording_file.hpp"
#include "solo/replay_report.hpp"

#include <ptp/abi.h>

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <c10/core/Device.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ptp::solo {

// The values of one recorded call, which are passed to a component and compared with its results.
// The recording must outlive it. Names are those within the call: "input/images".
class RecordedValues {
public:
    RecordedValues(const Recording& recording, std::size_t number)
        : recording_(recording), prefix_(std::to_string(number) + "/") {
        facts_ = &recording.calls()[number];
    }

    [[nodiscard]] const Value& facts() const { return *facts_; }
    [[nodiscard]] const at::Tensor* tensor(const std::string& name) const {
        return recording_.tensor(prefix_ + name);
    }

    // Returns all whose names begin with "given/", without this prefix.
    [[nodiscard]] TensorsByName tensors(const std::string& group) const;

    // Return numbers of the record. Throw RunError with kDataError.
    [[nodiscard]] std::int64_t integer(const char* name) const;
    [[nodiscard]] bool is_set(const char* name) const;
    [[nodiscard]] std::vector<std::uint64_t> seeds() const;
    [[nodiscard]] std::vector<std::string> texts(const char* name) const;

    // Puts a value into a slot on a device, with its strides and whether gradients flow to it. Does
    // nothing if it was undefined. Throws RunError with kDataError.
    void fill(const std::string& name, at::Device device, Slot& slot) const;

    // Returns whether there was a value of this name.
    [[nodiscard]] bool has(const std::string& name, ptp_element element) const;
    void compare(const std::string& name, const std::string& what, const Slot& slot,
                 ReplayReport& report) const;

private:
    [[nodiscard]] bool is_listed(const char* list, const std::string& name) const;
    [[nodiscard]] std::int64_t count_of(const std::string& name) const;
    [[nodiscard]] at::Tensor filled(const std::string& name, at::Device device) const;
    [[nodiscard]] const at::Tensor& required(const std::string& name, at::ScalarType type) const;
    void fill_text(const std::string& name, Slot& slot) const;

    const Recording& recording_;
    const std::string prefix_;
    const Value* facts_ = nullptr;
};

// Makes a plan around a build of the recorded component, with the recorded streams, sizes and
// globals. The recording must outlive it. Throws RunError with kPluginError if the build cannot be
// used like the recorded one.
std::unique_ptr<LonePlan> recorded_plan(const Recording& recording,
                                        const plugin::CatalogEntry& plugin,
                                        const std::filesystem::path& home);

class ReplayedComponent {
public:
    struct Parts {
        const Recording& recording;
        const LonePlan& plan;
        const ptp_component_info& info;
        std::filesystem::path folder;  // for its output
    };

    // Creates it. The parts must outlive it. Throws RunError.
    explicit ReplayedComponent(const Parts& parts);

    // Makes all calls and compares the results. Throws RunError, naming the call.
    void play(ReplayReport& report);

private:
    void play(const RecordedValues& values, ReplayReport& report);
    void forward(const RecordedValues& values, ReplayReport& report);
    void transform(const RecordedValues& values, ReplayReport& report);
    void fetch(const RecordedValues& values, ReplayReport& report);
    void measure(const std::string& call, const RecordedValues& values, ReplayReport& report);
    void compare_state(ReplayReport& report);

    void restore(const RecordedValues& values);
    void fill_inputs(const RecordedValues& values);
    void fill_samples(const RecordedValues& values);
    void compare_outputs(const RecordedValues& values, ReplayReport& report);
    static void compare_pictures(const RecordedValues& values,
                                 const std::vector<engine::Picture>& pictures,
                                 ReplayReport& report);
    void compare_tensors(const RecordedValues& values, ReplayReport& report);
    void backward(const RecordedValues& values, ReplayReport& report);
    void compare_gradients(const RecordedValues& values, ReplayReport& report);
    template <class Work>
    void timed(const char* call, ReplayReport& report, Work work);

    [[nodiscard]] const pipeline::Node& node() const { return component_.instance().node(); }

    const Recording& recording_;
    LoneComponent component_;
    std::map<std::string, at::Tensor> known_;  // its tensors, as recorded so far
    std::vector<at::Tensor> generators_;
    std::vector<std::string> trained_;
    std::uint64_t batch_ = 0;
};

// Does work of the component and adds its duration.
template <class Work>
void ReplayedComponent::timed(const char* call, ReplayReport& report, Work work) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    if (!component_.device().is_cpu()) {  // wait until the device has done it
        static_cast<void>(at::empty({1}, at::TensorOptions(component_.device())).zero_().cpu());
    }
    report.add_time(call, std::chrono::steady_clock::now() - begin);
}

// Refuses a build that cannot run on another build's recording. Throws RunError.
[[noreturn]] void refuse_build(const std::string& problem);

}  // namespace ptp::solo
