// Lists of layers in the settings of components: see "Layers" in ptp/declarations.h. Each layer is
// a draft like a component, in an assembly of its own, whose sizes are solved with all others.

#pragma once

#include "base/diagnostics.hpp"
#include "base/explanation.hpp"
#include "base/value.hpp"
#include "pipeline/draft.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace ptp::pipeline {

struct Solving;

// Returns whether the integers of a layer's setting may be formulas: see number_of_formula().
bool takes_formula(const plugin::Setting& setting);

// Drafts the layers in the settings of a component, and reports what is wrong with each by itself.
// The globals that they read become the component's too.
void draft_layers(Draft& draft, const DraftContext& context);

// Connects the layers of all components, which have been wired. Reports streams without a writer,
// and ports that take something else than the stream carries.
void wire_layers(Assembly& assembly, Diagnostics& problems);

// Returns how a setting lets layers read a stream from outside of their list, `more_inputs`, or
// gives it out, `more_outputs`; "" if the component has none.
std::string fix_to_list(const Node& owner, plugin::Direction direction, const std::string& stream);

// Explains an input that reads what a layer writes by this name within its list, which no setting
// gives out; nullopt if none does.
std::optional<Explanation> stream_of_layer(const Assembly& assembly, const Binding& input);

// Reports integers of a layer that were written as formulas and are not in their range.
void check_formulas(const Solving& of, Diagnostics& problems);

// A layer in a listing of a plan.
struct LayerLine {
    std::string name;   // "2.0"
    std::string type;   // "Conv2d"
    std::string shape;  // of what it writes first: "[B, 16, 28, 28]"
};
std::vector<LayerLine> layer_lines(const Plan& plan, const Node& node);

// Returns the layers of a setting as create() gets them, with the sizes that are known by now.
// Throws RunError for an integer whose formula has no value.
Value layers_to_create(const Plan& plan, const Node& node, std::size_t setting);

}  // namespace ptp::pipeline
