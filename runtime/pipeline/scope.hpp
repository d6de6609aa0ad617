// The meaning of the names in a component's shapes.

#pragma once

#include "pipeline/derive.hpp"
#include "pipeline/draft.hpp"
#include "pipeline/shapes.hpp"
#include "pipeline/size_table.hpp"

#include <map>
#include <string>
#include <vector>

namespace ptp::pipeline {

// The shapes of all existing ports; one with dimensions of an input is not known yet. "B" is one
// size everywhere; a name that the component uses as a global is that global; any other
// name is the component's own. Adds symbols as needed.
NodeShapes shapes_of_node(const Draft& draft, SizeTable& sizes,
                          std::map<std::string, int>& globals);

// The shapes of outputs that have dimensions of an input, as far as those are known now. Throws
// ComputationError.
void complete_outputs(const Derivation& of);

struct PublishedSize {
    std::string global;  // the pipeline's name; it has a symbol
    SourcedDimension dimension;
};

// The sizes that a component will publish, as far as they follow from its declaration. Sizes with a
// formula become derived sizes of `shapes`.
std::vector<PublishedSize> published_sizes(const Draft& draft, NodeShapes& shapes, SizeTable& sizes,
                                           std::map<std::string, int>& globals);

}  // namespace ptp::pipeline
