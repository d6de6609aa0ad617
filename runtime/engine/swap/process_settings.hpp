// Settings of the process that a plugin could change, but must not: this thread's rounding, and
// libtorch's own settings.

#pragma once

#include "engine/swap/swap_error.hpp"
#include "plugin/float_environment.hpp"

#include <c10/core/ScalarType.h>

#include <string>

namespace ptp::engine {

// The saved settings. [main]
class ProcessSettings {
public:
    ProcessSettings();

    // Throws SwapError of this phase, which names the changed settings and the culprit: "'net'
    // (LeNet5)".
    void check(SwapPhase phase, const std::string& culprit) const;

    void restore() const;

private:
    plugin::FloatEnvironment float_environment_;
    c10::ScalarType default_type_;
    int threads_;
    bool is_deterministic_;
    bool has_gradients_;
};

}  // namespace ptp::engine
