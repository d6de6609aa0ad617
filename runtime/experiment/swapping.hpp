// [swap]: which components of a running training may be exchanged for newer builds, and how one is
// tried before it takes its place.

#pragma once

#include "base/duration.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::experiment {

// Where a component that is to be swapped in runs for the first time.
enum class Rehearsal : std::int32_t {
    kOff,
    kThread,  // of the training's process: what crashes it ends the run
    kProcess  // a child, whose crash the run survives
};

struct Swapping {
    // Names of components, and of the sections whose tasks are meant; absent: all may be swapped.
    std::optional<std::vector<std::string>> components;
    // A swap is refused where loss or gradients of the rehearsal differ in a bit from before.
    bool must_keep_numbers = false;
    Rehearsal rehearsal = Rehearsal::kThread;
    Duration time_limit = {30};  // of loading a build, creating a component, and its rehearsal

    // `name`: of a component of the pipeline, or of a task's section ("training").
    [[nodiscard]] bool allows(std::string_view name) const;
};

}  // namespace ptp::experiment
