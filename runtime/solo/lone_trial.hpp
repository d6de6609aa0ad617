// A component that is run alone on made-up values, and everything that results from it.

#pragma once

#include "base/value.hpp"
#include "solo/lone_component.hpp"

#include <ATen/core/Tensor.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ptp::solo {

inline constexpr std::int64_t kMadeUpBatch = 4;  // samples

// Sizes, and kinds of values for the globals that are not sizes, by turns.
struct Guess {
    enum class Constant { kNumber, kWords, kNumbersOfWords };
    using Constants = std::array<Constant, 2>;

    std::int64_t side = 32;  // the size of images
    std::int64_t size = 4;   // any other size, including that of vocabularies
    Constants constants = {Constant::kNumber, Constant::kNumber};
    std::int64_t rank = 2;  // of an input of any shape
};

struct MadeUpPipeline : LonePlan {
    // Throws NoPlan. The plugin must outlive it.
    MadeUpPipeline(const LoneEntry& lone, const Guess& made_up_guess);

    Guess guess;
    Value settings;                  // of the component
    std::size_t constant_count = 0;  // globals that are not sizes
};

enum class MadeUpReals { kLogProbabilities, kUnitInterval };

enum class InputMemory : std::uint8_t {
    kPlain,    // row-major
    kGuarded,  // no memory after an input can be read: a component that reads beyond its end
               // crashes, instead of computing with what happens to follow
    kStrided   // its elements are not adjacent, as after narrow() or a transposition
};

struct InputOptions {
    Guess guess;
    MadeUpReals reals = MadeUpReals::kLogProbabilities;
    std::int64_t batch_size = kMadeUpBatch;
    InputMemory memory = InputMemory::kPlain;
};

// Fills the slots of all streams that the node reads, from libtorch's generator. If it reads a list
// of boolean streams, such as masks, exactly one of them is true for each sample. The plan is the
// pipeline's, with the sizes that have become known since.
void make_up_inputs(const pipeline::Plan& plan, const pipeline::Node& node,
                    const InputOptions& options, Frame& frame);

// Returns a row-major copy of a tensor on the CPU, whose last byte is the last one of a page. The
// next page cannot be read. Returns the tensor itself if the system has no memory for the copy.
[[nodiscard]] at::Tensor guarded_copy(const at::Tensor& tensor);

// A result of a trial, with all its bits.
struct Outcome {
    std::string what;  // "output 'predictions'"
    std::string bits;
    at::Tensor reals = {};  // the same as numbers, if it is a tensor of reals or a statistic
};
using Outcomes = std::vector<Outcome>;

// Returns type, sizes and content.
[[nodiscard]] std::string bits_of(const at::Tensor& tensor);
[[nodiscard]] std::string bits_of(const Slot& slot);

// Adds the outcomes of a further step.
void append(Outcomes& all, Outcomes more);

// Returns the first thing in which they differ; "" if there is none.
[[nodiscard]] std::string first_difference(const Outcomes& left, const Outcomes& right);

struct LoneStep {
    std::uint64_t number = 0;  // inputs and draws depend on it and the seed alone
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
    // all calls, if the component is not what it declares.
    LoneTrial(const MadeUpPipeline& pipeline, const ptp_component_info& info, Options options);
    ~LoneTrial() = default;
    LoneTrial(const LoneTrial&) = delete;
    LoneTrial& operator=(const LoneTrial&) = delete;

    // Makes a step in the mode that it names, and returns its outcomes. Throws RunError. The first
    // one begins the set, unless a state was restored.
    Outcomes run(const LoneStep& step);
    Outcomes step(std::uint64_t number) { return run({.number = number}); }
    Outcomes evaluation(std::uint64_t number) {
        return run({.number = number, .is_training = false});
    }

    // Makes a step in training and one in evaluation.
    void live() {
        step(0);
        evaluation(1);
    }

    // The parts of run(), in this order.
    void prepare(const LoneStep& step) { prepare(step, frame()); }
    void call(const LoneStep& step) { call(step, frame()); }
    void check_outputs(const LoneStep& step) {
        component_->check_outputs(static_cast<std::uint64_t>(step.batch_size));
    }

    // Do the same with the values in another frame. call() is [any] if several threads may call the
    // component.
    void prepare(const LoneStep& step, Frame& frame);
    void call(const LoneStep& step, Frame& frame);
    [[nodiscard]] Outcomes outputs(const Frame& frame) const;

    // Destroys it, and returns its statistics over the set, its tensors and the files that it has
    // written.
    Outcomes end();

    // Returns parameters and buffers.
    [[nodiscard]] std::vector<NamedTensor> tensors() { return component_->instance().tensors(); }
    [[nodiscard]] const Instance& instance() const { return component_->instance(); }
    [[nodiscard]] const pipeline::Plan& plan() const { return component_->plan(); }
    [[nodiscard]] Frame& frame() { return component_->frame(); }

    // The state of a component in a checkpoint.
    struct Saved {
        std::vector<NamedTensor> tensors;
        std::optional<Instance::State> state;
        std::vector<at::Tensor> generators;
    };
    [[nodiscard]] Saved save();
    void restore(const Saved& saved);

private:
    void add_statistics(bool is_over_set, Outcomes& outcomes);

    const Options options_;
    const Guess guess_;
    std::optional<LoneComponent> component_;
    std::int64_t sample_count_ = kMadeUpBatch;  // of a task
    bool has_begun_ = false;                    // its set
};

}  // namespace ptp::solo
