// A component that is run alone on made-up values, and all that comes of it.

#pragma once

#include "engine/component/frame.hpp"
#include "engine/component/globals.hpp"
#include "engine/component/instance.hpp"
#include "engine/component/output_check.hpp"
#include "engine/conformance/lone_pipeline.hpp"
#include "engine/conformance/made_up_values.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ptp::engine {

// Something that came of a trial, with all its bits.
struct Outcome {
    std::string what;  // "output 'predictions'"
    std::string bits;
};

class LoneTrial {
public:
    struct Options {
        std::filesystem::path folder;  // that it may write to
        MadeUpReals reals = MadeUpReals::kLogProbabilities;
    };

    // The pipeline and the description must outlive it. Throws RunError: with kPluginError, also in
    // what follows, where the component is not what it declares.
    LoneTrial(const LonePipeline& pipeline, const ptp_component_info& info, Options options);
    ~LoneTrial() = default;
    LoneTrial(const LoneTrial&) = delete;
    LoneTrial& operator=(const LoneTrial&) = delete;

    // Forgets what was counted, as at the begin of an epoch.
    void begin_set();

    // The step of this number: what goes in depends on the number alone. Throws RunError.
    std::vector<Outcome> step(std::uint64_t number) { return step_in(number, true); }

    // The same in evaluation.
    std::vector<Outcome> evaluation(std::uint64_t number);

    // Its statistics over the set, its tensors and the files that it has written.
    std::vector<Outcome> end();

    // Parameters and buffers.
    [[nodiscard]] std::vector<NamedTensor> tensors() { return instance_->tensors(); }

    // All that a checkpoint has of it.
    struct Saved {
        std::vector<NamedTensor> tensors;
        std::optional<Instance::State> state;
        std::vector<at::Tensor> generators;
    };
    [[nodiscard]] Saved save();
    void restore(const Saved& saved);

private:
    std::vector<Outcome> step_in(std::uint64_t number, bool is_training);
    void choose_samples(std::uint64_t number, bool is_training);
    void fetch();
    void run(std::uint64_t number);
    void add_outputs(std::vector<Outcome>& outcomes) const;
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
