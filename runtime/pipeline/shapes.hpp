// Solves the shapes of a pipeline: equal names are equal sizes, and both ends of a stream agree.

#pragma once

#include "config/diagnostics.hpp"
#include "pipeline/size_table.hpp"
#include "pipeline/wiring.hpp"

#include <map>
#include <string>
#include <vector>

namespace ptp::pipeline {

// The shapes of one component, by the positions of its bindings.
struct NodeShapes {
    std::vector<SourcedShape> inputs;
    std::vector<SourcedShape> outputs;
    std::map<std::string, int> symbols;  // the names of its dimensions
};

struct Shapes {
    SizeTable sizes;
    std::vector<NodeShapes> tasks;
    std::vector<NodeShapes> components;
    std::vector<SourcedShape> streams;
    std::map<std::string, int> globals;  // those that are sizes of some port
};

// Reports all disagreements at once: sections about a global, sections about a stream, a writer and
// a reader about a stream. `order` is that of execution, so that sizes become known in the order in
// which a person thinks of them. Components that are not sound take no part.
Shapes solve_shapes(const Assembly& assembly, const std::vector<int>& order,
                    config::Diagnostics& problems);

}  // namespace ptp::pipeline
