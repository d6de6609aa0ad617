// A component that is run alone on made-up values, and all that comes of it.

#pragma once

#include "engine/component/frame.hpp"
#include "engine/component/globals.hpp"
#include "engine/component/instance.hpp"
#include "engine/component/output_check.hpp"
#include "engine/conformance/guarded_tensor.hpp"
#include "engine/conformance/lone_pipeline.hpp"
#include "engine/conformance/made_up_values.hpp"
#include "engine/conformance/outcome.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ptp::engine {

struct LoneStep {
    std::uint64_t number = 0;  // what goes in depends on it and the seed alone
    std::int64_t batch_size = kMadeUpBatch;
    bool is_training = true;
};

class LoneTrial {
public:
    struct Options {
        std::filesystem::path folder;  // that it may write to
        MadeUpReals reals = MadeUpReals::kLogProbabilities;
        std::uint64_t seed = 1;
        InputMemory memory = InputMemory::kPlain;
    };

    // The pipeline and the description must outlive it. Throws RunError: with kPluginError, also in
    // what follows, where the component is not what it declares.
    LoneTrial(const LonePipeline& pipeline, const ptp_component_info& info, Options options);
    ~LoneTrial() = default;
    LoneTrial(const LoneTrial&) = delete;
    LoneTrial& operator=(const LoneTrial&) = delete;

    // Forgets what was counted, as at the begin of an epoch.
    void begin_set();

    // A step in the mode that it names, and what comes of it. Throws RunError.
    std::vector<Outcome> run(const LoneStep& step);
    std::vector<Outcome> step(std::uint64_t number) { return run({.number = number}); }
    std::vector<Outcome> evaluation(std::uint64_t number) {
        return run({.number = number, .is_training = false});
    }

    // The parts of run(), in this order.
    void prepare(const LoneStep& step) { prepare(step, frame_); }
    void call(const LoneStep& step) { call(step, frame_); }
    void check_outputs(const LoneStep& step);
    [[nodiscard]] std::vector<Outcome> outputs() const { return outputs(frame_); }

    // The same with the values in another frame. call() of what several threads may call is [any].
    void prepare(const LoneStep& step, Frame& frame);
    void call(const LoneStep& step, Frame& frame);
    [[nodiscard]] std::vector<Outcome> outputs(const Frame& frame) const;

    // Its statistics over the set, its tensors and the files that it has written. It is destroyed.
    std::vector<Outcome> end();

    // Parameters and buffers.
    [[nodiscard]] std::vector<NamedTensor> tensors() { return instance_->tensors(); }
    [[nodiscard]] const Instance& instance() const { return *instance_; }
    [[nodiscard]] const pipeline::Plan& plan() const { return plan_; }
    [[nodiscard]] Frame& frame() { return frame_; }

    // All that a checkpoint has of it.
    struct Saved {
        std::vector<NamedTensor> tensors;
        std::optional<Instance::State> state;
        std::vector<at::Tensor> generators;
    };
    [[nodiscard]] Saved save();
    void restore(const Saved& saved);

private:
    void choose_samples(const LoneStep& step, Frame& frame) const;
    void fetch(Frame& frame);
    void forward(const LoneStep& step, Frame& frame);
    void add_statistics(bool is_over_set, std::vector<Outcome>& outcomes);

    const Options options_;
    const Guess guess_;
    pipeline::Plan plan_;
    Globals globals_;
    ComponentContext component_context_;
    Frame frame_;
    OutputCheck output_check_;
    std::shared_ptr<Instance> instance_;
    std::int64_t sample_count_ = kMadeUpBatch;  // of a task
};

}  // namespace ptp::engine
