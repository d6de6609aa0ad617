// The sizes of one component, for solve_shapes(): the shapes of its ports, the sizes that its
// formulas compute from others, and the relations that it requires. Functions without a remark are
// in derive.cpp, the others in scope.cpp and reshape.cpp.

#pragma once

#include "base/diagnostics.hpp"
#include "pipeline/draft.hpp"
#include "pipeline/evaluate.hpp"
#include "pipeline/shapes.hpp"
#include "pipeline/size_table.hpp"
#include "pipeline/wiring.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ptp::pipeline {

// The values of names in the formulas of a component, while the shapes are solved.
class ShapeScope : public NodeScope {
public:
    ShapeScope(const Draft& draft, const NodeShapes& own, const Shapes& all)
        : NodeScope(draft.node, own.symbols, all.globals), all_(all) {}

private:
    [[nodiscard]] Number number_of(int symbol) const override {
        return all_.sizes.number_of(symbol);
    }
    [[nodiscard]] std::optional<Numbers> sizes_of(int stream) const override;

    const Shapes& all_;
};

struct Derivation {
    const Assembly& assembly;
    Shapes& all;
    const Draft& draft;
    NodeShapes& own;  // of the draft
};

// Computes the sizes whose inputs are known by now, and returns whether there was one. Reports
// formulas that cannot be computed, and numbers that contradict a size that is known already.
bool derive_sizes(const Derivation& of, Diagnostics& problems);

// Reports numbers found that are not sizes, of a component whose requirements hold.
void check_derived_sizes(const Derivation& of, Diagnostics& problems);

// The dimensions of an input that a slice names; nullopt if they are not known. Of an input with
// several streams those that all have: each is one size. Throws ComputationError.
std::optional<std::vector<SourcedDimension>> sliced_dimensions(const Derivation& of,
                                                               const Formula& slice);

// In scope.cpp: the meaning of the names in a component's shapes.

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

// In derive.cpp: reports relations of the declaration that do not hold, at the setting that they
// are about. Returns whether all hold, as far as that is known.
bool check_requirements(const Derivation& of, Diagnostics& problems);

// In reshape.cpp: outputs that hold the values of an input in another shape.

// If exactly two dimensions of a reshaped output are unknown and one of them is the first, sets the
// first to the batch size and the other to the number of values of a sample of the first input,
// divided by the known dimensions: [*, *] of [B, 16, 7, 7] becomes [B, 784].
void complete_reshaped(const Derivation& of);

// Reports outputs declared as reshaped that cannot have as many values as the first input, whatever
// the still unknown sizes are.
void check_reshaped(const Derivation& of, Diagnostics& problems);

// Reports outputs declared as reshaped that a reader takes as batches, although a batch of the
// input would become one of more or fewer samples. To be asked once all shapes are solved.
void check_samples_stay_whole(const Derivation& of, Diagnostics& problems);

}  // namespace ptp::pipeline
