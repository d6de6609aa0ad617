// [swap]: which components of a running training may be replaced by newer builds, and how a build
// is tested first.

#pragma once

#include "base/duration.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::experiment {

// The place where a new build of a component runs for the first time.
enum class Rehearsal : std::int32_t {
    kOff,
    kThread,  // on the training's thread: a crash ends the run, and no limit holds
    kProcess  // in a child process, whose crash the run survives
};

struct Swapping {
    // The names of components, and of sections for their tasks; absent: all may be swapped.
    std::optional<std::vector<std::string>> components;
    // Rejects a swap if loss or gradients of the rehearsal differ in any bit from before.
    bool must_keep_numbers = false;
    Rehearsal rehearsal = Rehearsal::kThread;
    Duration time_limit = {30};  // for loading a build, and a rehearsal in a child process

    // Returns whether a component of the pipeline, or the task of a section ("training"), may be
    // swapped.
    [[nodiscard]] bool allows(std::string_view name) const;
};

}  // namespace ptp::experiment
