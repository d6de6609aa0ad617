// With what a component can be created and run, found by trying.

#pragma once

#include "engine/conformance/lone_pipeline.hpp"
#include "engine/conformance/lone_trial.hpp"
#include "engine/conformance/made_up_values.hpp"

#include <ptp/abi.h>

#include <filesystem>
#include <memory>
#include <string>

namespace ptp::engine {

struct Attempt {
    std::unique_ptr<experiment::ComponentEntry> entry;
    std::unique_ptr<LonePipeline> pipeline;  // nullptr: none was found
    MadeUpReals reals = MadeUpReals::kLogProbabilities;

    // Of the one that came farthest, where none was found.
    std::string refusal = {};
    std::string reason = {};       // the refusal without what is to be done in a pipeline
    bool breaks_contract = false;  // it was created and run, and is not what it declares
};

// Tries made-up settings, sizes, constants and values until the component runs with them; what is
// in the candidate's entry stays. Of those that it runs with a light one is taken: many bytes take
// long to compare. `folder` is for what it writes.
Attempt find_attempt(const CheckedComponent& candidate, const ptp_component_info& info,
                     const std::filesystem::path& folder);

}  // namespace ptp::engine
