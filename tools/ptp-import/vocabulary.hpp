// Converts the flags of PyTorchPipe's vocabularies: a component of ptp reads or publishes the names
// that it states.

#pragma once

#include "base/value.hpp"
#include "report.hpp"

#include <set>
#include <string>

namespace ptp::importer {

struct Vocabularies {
    std::set<std::string> published = {};    // by the components so far
    std::set<std::string> unpublished = {};  // sizes that are read, but not published
};

// Returns the sizes that components of a pipeline read, and that neither a flag of another one nor
// a name of `known` publishes: releases before 0.2 published them without a flag.
std::set<std::string> unpublished_sizes(const Value& pipeline, const std::set<std::string>& known);

// Converts a component's table. Two components that publish the same vocabulary share one here.
void import_vocabulary(Value& table, const std::string& path, Vocabularies& vocabularies,
                       Report& report);

}  // namespace ptp::importer
