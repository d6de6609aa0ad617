// Finds, by trying, what a component can be created and run with.

#pragma once

#include "base/exit_code.hpp"
#include "solo/lone_trial.hpp"
#include "solo/made_up_pipeline.hpp"

#include <ptp/abi.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

namespace ptp::solo {

// The stage that an attempt has reached.
enum class Stage { kNone, kPlan, kCreation, kStep, kEvaluation };

struct Attempt {
    std::unique_ptr<MadeUpPipeline> pipeline = {};  // nullptr if none was found
    MadeUpReals reals = MadeUpReals::kLogProbabilities;

    // Describe the attempt that came farthest, if none was found, or if settings with defaults had
    // to be changed.
    Stage stage = Stage::kNone;  // in which it failed
    ExitCode code = kTrainingError;
    std::string refusal = {};
    std::string reason = {};  // the refusal without the fix, which is for a pipeline
    // True if create() refused its defaults, although no setting was required.
    bool refuses_defaults = false;
};

// Tries made-up settings, sizes, constants and values until the component runs with them; those in
// the entry stay. Prefers ones with few bytes of tensors, which are faster to compare. The
// component may write to the folder.
Attempt find_attempt(const LoneEntry& lone, const ptp_component_info& info,
                     const std::filesystem::path& folder, std::uint64_t seed = 1);

// Returns the settings, sizes and kinds of constants of an attempt that was found, for another
// process with the same component.
[[nodiscard]] std::string text_of(const Attempt& attempt);
[[nodiscard]] Attempt attempt_from(const std::string& text, const LoneEntry& lone);

}  // namespace ptp::solo
