// Finds, by trying, what a component can be created and run with.

#pragma once

#include "base/exit_code.hpp"
#include "base/value.hpp"
#include "plugin/manifest.hpp"
#include "solo/lone_trial.hpp"

#include <ptp/abi.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

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
[[nodiscard]] Value attempt_table(const Attempt& attempt);
[[nodiscard]] Attempt attempt_from(const Value& table, const LoneEntry& lone);

// Returns the required settings that are not in the table `given` and for which no value can be
// made up, such as the path of a file.
std::vector<const plugin::Setting*> missing_settings(const plugin::Component& component,
                                                     const Value& given);

// Returns "'a', 'b' and 'c'".
std::string quoted_names(const std::vector<const plugin::Setting*>& settings);

// Returns tables of settings to try, the likeliest first: the given ones, and values for all other
// required ones. Each is allowed by itself; whether they fit each other is not checked. For a
// component that has refused those tables, returns further ones, with optional settings: those that
// the refusal names, and those with few values.
std::vector<Value> made_up_settings(const plugin::Component& component, const Value& given,
                                    const std::string& refusal = "");

// Returns the required members of such a table, with made-up values.
Value made_up_members(const plugin::Component& component, const plugin::Setting& table);

}  // namespace ptp::solo
