// Components that an experiment writes outside of [pipeline], such as training.loss = "mse".

#pragma once

#include "base/diagnostics.hpp"
#include "base/value.hpp"
#include "plugin/catalog.hpp"

namespace ptp::pipeline {

// Returns whether the tree has such components.
bool has_misplaced(const Value& tree);

// Reports them, each with its key in [pipeline] and a type that a plugin has. The tree is not read
// yet: the plugins that it names are known before.
void report_misplaced(const Value& tree, const plugin::Catalog& catalog, Diagnostics& problems);

}  // namespace ptp::pipeline
