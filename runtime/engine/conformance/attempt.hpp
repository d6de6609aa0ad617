// Finds, by trying, what a component can be created and run with.

#pragma once

#include "engine/conformance/lone_pipeline.hpp"
#include "engine/conformance/lone_trial.hpp"
#include "engine/conformance/made_up_values.hpp"

#include <ptp/abi.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

namespace ptp::engine {

struct Attempt {
    std::unique_ptr<experiment::ComponentEntry> entry;
    std::unique_ptr<LonePipeline> pipeline;  // nullptr if none was found
    MadeUpReals reals = MadeUpReals::kLogProbabilities;

    // Describes the attempt that came farthest, if none was found, or if settings with defaults had
    // to be changed.
    std::string refusal = {};
    std::string reason = {};           // the refusal without the fix, which is for a pipeline
    bool breaks_contract = false;      // it was created and run, and violates its declaration
    bool fails_in_training = false;    // it was created, but no step succeeded
    bool fails_in_evaluation = false;  // with settings and streams that worked in training
    // True if create() refused its defaults, although no setting was required.
    bool refuses_defaults = false;
};

struct AttemptOptions {
    std::filesystem::path folder;  // for its output
    std::uint64_t seed = 1;
};

// Tries made-up settings, sizes, constants and values until the component runs with them; those in
// the candidate's entry stay. Prefers ones with few bytes of tensors, which are faster to compare.
Attempt find_attempt(const CheckedComponent& candidate, const ptp_component_info& info,
                     const AttemptOptions& options);

// Returns the found settings, sizes and kinds of constants, or why there are none, for another
// process with the same candidate.
[[nodiscard]] std::string text_of(const Attempt& attempt);
[[nodiscard]] Attempt attempt_from(const std::string& text, const CheckedComponent& candidate);

}  // namespace ptp::engine
