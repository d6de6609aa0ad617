// What an experiment is merged from, one file after the other, so that messages can name where a
// value comes from.

#pragma once

#include "base/source_location.hpp"
#include "base/value.hpp"

#include <vector>

namespace ptp::experiment {

struct Layer {
    Value tree;                               // what the file itself has, without `include`
    std::vector<SourceLocation> included_at;  // the includes that lead to it, outermost first
};

// In the order in which they are merged: a later one wins.
using Layers = std::vector<Layer>;

}  // namespace ptp::experiment
