// A build of a component that is run on a recording: it gets every call of the recorded one, with
// the weights, random numbers and values of that call, so that one difference does not cause the
// next.

#pragma once

#include "engine/component/components.hpp"
#include "engine/component/frame.hpp"
#include "engine/component/globals.hpp"
#include "engine/component/instance.hpp"
#include "engine/component/output_check.hpp"
#include "engine/recording/recorded_pipeline.hpp"
#include "engine/recording/recording_file.hpp"
#include "engine/recording/replay_report.hpp"
#include "engine/recording/replayed_values.hpp"

#include <ptp/abi.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ptp::engine {

// Refuses a build that cannot run on another build's recording. Throws RunError.
[[noreturn]] void refuse_build(const std::string& problem);

class ReplayedComponent {
public:
    struct Parts {
        const Recording& recording;
        const RecordedPipeline& pipeline;
        const ptp_component_info& info;
        std::filesystem::path folder;  // for its output
    };

    // Creates it. The parts must outlive it. Throws RunError.
    explicit ReplayedComponent(const Parts& parts);
    ~ReplayedComponent() = default;
    ReplayedComponent(const ReplayedComponent&) = delete;
    ReplayedComponent& operator=(const ReplayedComponent&) = delete;

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
    void compare_pictures(const RecordedValues& values, const std::vector<Picture>& pictures,
                          ReplayReport& report) const;
    void compare_tensors(const RecordedValues& values, ReplayReport& report);
    void backward(const RecordedValues& values, ReplayReport& report);
    void compare_gradients(const RecordedValues& values, ReplayReport& report);
    [[nodiscard]] std::vector<ptp_value*> values_of(const std::vector<pipeline::Binding>& bindings);
    [[nodiscard]] const std::string& stream_of(const pipeline::Binding& binding) const;
    void finish_on_device() const;

    const Recording& recording_;
    pipeline::Plan plan_;
    Globals globals_;
    ComponentContext component_context_;
    Frame frame_;
    OutputCheck output_check_;
    std::shared_ptr<Instance> instance_;
    std::map<std::string, at::Tensor> known_;  // its tensors, as recorded so far
    std::vector<at::Tensor> generators_;
    std::vector<std::string> trained_;
    std::uint64_t batch_ = 0;
};

}  // namespace ptp::engine
