// Detects a training that learns nothing: whose gradients are all 0, or whose weights do not
// change.

#pragma once

#include "engine/optimizer/gradients.hpp"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace ptp::engine {

// Checks the steps of an optimizer until one of them has had a gradient and changed a weight,
// usually the first one. It only reads weights and gradients. [main]
class WeightWatch {
public:
    // The number of steps that exclude coincidence: a batch may have a loss of 0, and a step may be
    // too small.
    static constexpr int kSteps = 20;

    // Returns whether it needs no more steps.
    [[nodiscard]] bool is_done() const { return has_gradient_ && has_moved_; }

    // Called before and after a step, with the gradients of this step in both.
    void begin_step(const std::vector<NamedParameter>& parameters);
    void end_step(const std::vector<NamedParameter>& parameters);

    // Returns once, after kSteps steps or at the end of the training, the problem; "" if there is
    // none.
    [[nodiscard]] std::string problem(bool is_end);

private:
    void copy_weights(const std::vector<NamedParameter>& parameters, std::size_t limit_bytes);

    int steps_ = 0;
    bool has_gradient_ = false;
    bool has_moved_ = false;
    std::vector<std::pair<std::size_t, at::Tensor>> before_;  // with the index of each parameter
};

}  // namespace ptp::engine
