// The stages of a pipeline. Components of the pre stage prepare samples: transforms that depend on
// the task alone and treat each sample by itself, in the loader threads where they may, or work on
// texts. Those of the forward stage compute on batches of numbers, on the device: what `ptprun
// export` writes. Those of the post stage make texts, files or pictures of the results.

#pragma once

#include "base/diagnostics.hpp"
#include "pipeline/plan.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::pipeline {

// "pre", "forward" or "post".
std::string_view stage_name(Stage stage);
std::optional<Stage> stage_named(std::string_view name);

// Returns whether a transform treats each sample by itself. That is known where the manifest lists
// the abilities; for others it is assumed, and the run reports it.
bool is_per_sample(const plugin::Component& component);

// Returns whether a component reads or writes texts, or lists of tensors.
bool has_texts(const Plan& plan, const Node& node);

// Sets the stage of each component from what it declares, and from what the experiment asks for.
// Reports a stage that is not possible, with the reason.
void find_stages(Plan& plan, Diagnostics& problems);

// Returns the names of a stage's components, in the order of execution: "normalize, resize"; those
// that are tried in turn in the place of the last: "date (iso or german)".
std::string stage_text(const Plan& plan, Stage stage);

// Returns what is special about when a component runs: "turn 2 in 'date'" of one that is tried on
// each sample, "passes through outside of its phases"; "" for others.
std::string turn_text(const Node& node);

// Returns the streams of the tasks that models see, directly or after transforms; all streams of
// the tasks if no model reads any.
std::vector<std::string> model_inputs(const Plan& plan);

}  // namespace ptp::pipeline
