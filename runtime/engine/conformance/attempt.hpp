// With what a component can be created and run, found by trying.

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
    std::unique_ptr<LonePipeline> pipeline;  // nullptr: none was found
    MadeUpReals reals = MadeUpReals::kLogProbabilities;

    // Of the one that came farthest, where none was found, or where the settings that have defaults
    // had to be changed.
    std::string refusal = {};
    std::string reason = {};           // the refusal without what is to be done in a pipeline
    bool breaks_contract = false;      // it was created and run, and is not what it declares
    bool fails_in_training = false;    // it was created, and no step has ended well
    bool fails_in_evaluation = false;  // with settings and streams with which it was trained
    // Whether it has refused in create() what it has by default, where nothing had to be given.
    bool refuses_defaults = false;
};

struct AttemptOptions {
    std::filesystem::path folder;  // for what it writes
    std::uint64_t seed = 1;
};

// Tries made-up settings, sizes, constants and values until the component runs with them; what is
// in the candidate's entry stays. Of those that it runs with a light one is taken: many bytes take
// long to compare.
Attempt find_attempt(const CheckedComponent& candidate, const ptp_component_info& info,
                     const AttemptOptions& options);

// For another process, where the candidate is the same: the settings, sizes and kinds of constants
// that were found, or why there are none.
[[nodiscard]] std::string text_of(const Attempt& attempt);
[[nodiscard]] Attempt attempt_from(const std::string& text, const CheckedComponent& candidate);

}  // namespace ptp::engine
