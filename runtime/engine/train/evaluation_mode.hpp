// Components that evaluate: dropout is off, batch normalization frozen, and no gradients are kept.

#pragma once

#include "engine/component/components.hpp"

#include <c10/core/GradMode.h>

namespace ptp::engine {

// The components evaluate from its construction to end(), which may throw; gradients are off as
// long as it exists.
class EvaluationMode {
public:
    explicit EvaluationMode(const Components& components) : components_(components) {
        components_.set_training(false);
    }
    void end() { components_.set_training(true); }

private:
    const Components& components_;
    c10::AutoGradMode without_gradients_{false};
};

}  // namespace ptp::engine
