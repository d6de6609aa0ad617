// Components that pass their inputs through outside of their phases: `pass_through`.

#pragma once

#include "base/diagnostics.hpp"
#include "base/explanation.hpp"
#include "pipeline/draft.hpp"
#include "pipeline/plan.hpp"

#include <optional>
#include <vector>

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

// Returns the output of a transform that it makes of this input of a list, as a moved mask of a
// mask: the one at its place in the list that has the meaning of the input's. The transform runs
// without both of them. nullptr if the input has no such output.
const Binding* listed_output(const Node& node, const Binding& input);

// Removes the inputs of these streams that have such an output, with it, from the ports and the
// settings of a transform.
void leave_out_listed(Node& node, const std::vector<int>& streams);

// Takes the streams of the targets from a transform that passes without them, on both sides.
void leave_targets_out(Node& node);

// Has all transforms of a plan to process one section do without targets, as far as they can:
// programs feed samples, which need none.
void leave_targets_out(Plan& plan);

}  // namespace ptp::pipeline
