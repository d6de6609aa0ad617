// Sizes that follow from others by the formulas of a component's declaration.

#pragma once

#include "base/diagnostics.hpp"
#include "pipeline/compute.hpp"
#include "pipeline/shapes.hpp"
#include "pipeline/wiring.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ptp::pipeline {

// The values of names in the formulas of a component, while the shapes are solved.
class ShapeScope : public FormulaScope {
public:
    ShapeScope(const Draft& draft, const NodeShapes& own, const Shapes& all)
        : draft_(draft), own_(own), all_(all) {}

    [[nodiscard]] std::optional<std::int64_t> size(const std::string& name) const override;
    [[nodiscard]] InputSizes input(const std::string& port) const override;

private:
    const Draft& draft_;
    const NodeShapes& own_;
    const Shapes& all_;
};

struct Derivation {
    const Assembly& assembly;
    Shapes& all;
    const Draft& draft;
    NodeShapes& own;  // of the draft
};

// Finds the numbers that can be found now; whether there was one. Reports what cannot be computed,
// and what contradicts a size that is known already.
bool derive_sizes(const Derivation& of, Diagnostics& problems);

// Reports numbers found that are not sizes, of a component whose requirements hold.
void check_derived_sizes(const Derivation& of, Diagnostics& problems);

// The dimensions of an input that a slice names; nullopt if they are not known. Of an input with
// several streams those that all have: each is one size. Throws ComputationError.
std::optional<std::vector<SourcedDimension>> sliced_dimensions(const Derivation& of,
                                                               const Formula& slice);

}  // namespace ptp::pipeline
