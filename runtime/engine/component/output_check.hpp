// Checks whether components write what they declare: everything on the first batch of a section,
// later only what differs from the previous step, at the cost of comparing a few numbers.

#pragma once

#include "engine/component/frame.hpp"
#include "engine/component/instance.hpp"
#include "pipeline/plan.hpp"

#include <c10/core/Device.h>
#include <c10/util/DimVector.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace ptp::engine {

// [step] Throws RunError with kPluginError, or kConfigurationError where the experiment combines
// streams of other sizes.
class OutputCheck {
public:
    explicit OutputCheck(const pipeline::Plan& plan);

    // Forgets the outputs checked so far; the next step is checked thoroughly.
    void forget() { batch_size_ = 0; }

    // Begins a step of N samples. A thorough one compares everything.
    void begin(std::uint64_t batch_size, bool is_thorough);

    // Returns whether everything is compared in this step.
    [[nodiscard]] bool is_thorough() const { return is_thorough_; }

    // Checks the outputs that `instance` has just written on `device`. Called in the order in which
    // the instances run, the task first.
    void check(const Instance& instance, const Frame& frame, at::Device device);

private:
    struct Seen {
        at::DimVector sizes;  // stored inline: they are read in each step
        at::ScalarType type = at::kFloat;
    };
    struct Bound {
        std::uint64_t step = 0;
        std::int64_t size = 0;
        int stream = -1;
    };

    [[nodiscard]] bool is_as_before(const Slot& slot, const Seen& seen, at::Device device) const;
    void check_all(const Instance& instance, const Frame& frame, std::optional<at::Device> device);
    void check_output(const Instance& instance, const pipeline::Binding& binding, const Slot& slot);
    void check_list(const Instance& instance, const pipeline::Binding& binding,
                    const TensorList& list);
    void check_sizes(const Instance& instance, const pipeline::Binding& binding,
                     at::IntArrayRef sizes);
    void bind(const Instance& instance, const pipeline::Binding& binding, at::IntArrayRef sizes);

    const pipeline::Plan& plan_;
    std::vector<Seen> seen_;    // for each stream
    std::vector<Bound> bound_;  // for each symbol: sizes that are only known in a step
    std::vector<const Instance*> passed_;
    std::uint64_t batch_size_ = 0;
    std::uint64_t step_ = 0;
    bool is_thorough_ = true;
};

}  // namespace ptp::engine
