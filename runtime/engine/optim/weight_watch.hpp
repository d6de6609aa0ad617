// Notices a training that learns nothing: whose gradients are all 0, or whose weights do not move.

#pragma once

#include "engine/optim/named_parameter.hpp"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace ptp::engine {

// Looks at the steps of an optimizer until one of them has had a gradient and moved a weight, which
// is the first one as a rule. It reads weights and gradients and changes nothing. [main]
class WeightWatch {
public:
    // As many are no accident: a batch may have a loss of 0, and a step may be too small.
    static constexpr int kSteps = 20;

    // Whether it needs to see no more steps.
    [[nodiscard]] bool is_done() const { return has_gradient_ && has_moved_; }

    // Before a step and after it, with the gradients of this step in both.
    void begin_step(const std::vector<NamedParameter>& parameters);
    void end_step(const std::vector<NamedParameter>& parameters);

    // Once after kSteps steps, or when the training is at its end, what is wrong; "" if nothing is.
    [[nodiscard]] std::string problem(bool is_end);

private:
    void copy_weights(const std::vector<NamedParameter>& parameters, std::size_t limit_bytes);

    int steps_ = 0;
    bool has_gradient_ = false;
    bool has_moved_ = false;
    std::vector<std::pair<std::size_t, at::Tensor>> before_;  // by the parameter's place
};

}  // namespace ptp::engine
