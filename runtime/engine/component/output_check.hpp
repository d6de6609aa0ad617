// Whether components write what they declare: everything on the first batch of a section, later
// only what differs from the step before, which costs a comparison of a few numbers.

#pragma once

#include "engine/component/frame.hpp"
#include "engine/component/instance.hpp"
#include "pipeline/plan.hpp"

#include <c10/core/Device.h>
#include <c10/util/DimVector.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace ptp::engine {

// [step] Throws RunError with kPluginError.
class OutputCheck {
public:
    explicit OutputCheck(const pipeline::Plan& plan);

    // The outputs checked so far do not apply to the next step, whose outputs are checked
    // thoroughly.
    void forget() { batch_size_ = 0; }

    // A step of N samples begins. A thorough one compares everything.
    void begin(std::uint64_t batch_size, bool is_thorough);

    // Whether everything is compared in this step.
    [[nodiscard]] bool is_thorough() const { return is_thorough_; }

    // `instance` has just written its outputs, on `device`. In the order in which the instances
    // run, the task first.
    void check(const Instance& instance, const Frame& frame, at::Device device) {
        check(instance, written_streams(instance), frame, device);
    }
    // The same with its written_streams(), which are then found once for many steps.
    void check(const Instance& instance, std::span<const int> written, const Frame& frame,
               at::Device device);

    // The streams that its outputs are.
    [[nodiscard]] static std::vector<int> written_streams(const Instance& instance);

private:
    struct Seen {
        at::DimVector sizes;  // without a block of their own: they are looked at in each step
        at::ScalarType type = at::kFloat;
    };
    struct Bound {
        std::uint64_t step = 0;
        std::int64_t size = 0;
        int stream = -1;
    };

    [[nodiscard]] bool is_as_before(const Slot& slot, const Seen& seen, at::Device device) const;
    [[nodiscard]] bool are_as_before(std::span<const int> written, const Frame& frame,
                                     at::Device device) const;
    void check_all(const Instance& instance, const Frame& frame, std::optional<at::Device> device);
    void check_tensor(const Instance& instance, const pipeline::Binding& binding,
                      const at::Tensor& tensor);
    void check_text(const Instance& instance, const pipeline::Binding& binding, const Slot& slot);
    void check_list(const Instance& instance, const pipeline::Binding& binding, const Slot& slot);
    void check_sizes(const Instance& instance, const pipeline::Binding& binding,
                     at::IntArrayRef sizes);
    void bind(const Instance& instance, const pipeline::Binding& binding, at::IntArrayRef sizes);

    const pipeline::Plan& plan_;
    std::vector<Seen> seen_;    // for each stream
    std::vector<Bound> bound_;  // for each symbol: sizes that are known in a step only
    std::vector<const Instance*> passed_;
    std::uint64_t batch_size_ = 0;
    std::uint64_t step_ = 0;
    bool is_thorough_ = true;
};

}  // namespace ptp::engine
