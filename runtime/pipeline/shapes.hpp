// Solves the shapes of a pipeline: equal names are equal sizes, and both ends of a stream agree.

#pragma once

#include "base/diagnostics.hpp"
#include "pipeline/expression.hpp"
#include "pipeline/size_table.hpp"
#include "pipeline/wiring.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ptp::pipeline {

// A size computed by a formula, as soon as everything it needs is known.
struct DerivedSize {
    int symbol = -1;
    std::string name;  // "feature_map_height", or the formula for a dimension without a name
    bool is_published = false;  // as the global of that name
    const Formula* formula = nullptr;
    bool is_done = false;                      // its number was found, or is refused
    std::optional<std::int64_t> refused = {};  // the number, if it is not a size
};

// The shapes of one component, by the positions of its bindings.
struct NodeShapes {
    std::vector<SourcedShape> inputs;
    std::vector<SourcedShape> outputs;
    std::map<std::string, int> symbols;  // the names of its dimensions
    std::vector<DerivedSize> derived = {};
};

struct Shapes {
    SizeTable sizes;
    std::vector<NodeShapes> tasks;
    std::vector<NodeShapes> components;
    std::vector<SourcedShape> streams;
    std::map<std::string, int> globals;  // those that are sizes of some port
};

// Reports all disagreements at once: sections about a global, sections about a stream, a writer and
// a reader about a stream. `order` is the order of execution, so that sizes become known in the
// order in which a person thinks of them. Components that are not sound take no part.
Shapes solve_shapes(const Assembly& assembly, const std::vector<int>& order, Diagnostics& problems);

}  // namespace ptp::pipeline
