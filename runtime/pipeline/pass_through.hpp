// Components that pass their inputs through outside of their phases: `pass_through`.

#pragma once

#include "base/diagnostics.hpp"
#include "base/explanation.hpp"
#include "pipeline/draft.hpp"
#include "pipeline/plan.hpp"

#include <optional>

namespace ptp::pipeline {

// Returns why the inputs of a node cannot take the place of its outputs, as far as sizes are known:
// those that only follow from the data are learned while components are created.
std::optional<Explanation> passing_problem(const Plan& plan, const Node& node);

// Reports such nodes with `pass_through`.
void check_passing(const Plan& plan, Diagnostics& problems);

// Returns whether a component that is limited to some phases could pass its inputs through in the
// others, as far as its ports tell.
bool may_pass_through(const Draft& draft);

// Returns whether a transform that makes targets in place of others, as one that mixes samples does
// in the training, leaves all else as it is: each other output has the meaning and the shape of the
// input at its place. Where samples have no targets, its outputs are these inputs.
bool passes_without_targets(const Node& node);

// Takes the streams of the targets from such a transform, on both sides.
void leave_targets_out(Node& node);

// Has all such transforms of a plan to process one section pass their inputs through: programs feed
// samples, which need no targets.
void leave_targets_out(Plan& plan);

}  // namespace ptp::pipeline
