// The files that an experiment is merged from, in order, so that messages can name the origin of a
// value.

#pragma once

#include "base/source_location.hpp"
#include "base/value.hpp"

#include <vector>

namespace ptp::experiment {

struct Layer {
    Value tree;                               // the content of the file itself, without `include`
    std::vector<SourceLocation> included_at;  // the includes that lead to it, outermost first
};

// Layers in the order in which they are merged: a later one wins.
using Layers = std::vector<Layer>;

}  // namespace ptp::experiment
