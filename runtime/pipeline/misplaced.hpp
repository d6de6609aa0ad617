// Components that an experiment writes outside of [pipeline], such as training.loss = "mse", and
// keys of --set that name a setting without its component, such as dropout=0.1.

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

// In short_keys.cpp: returns whether --set has keys that no experiment has, which may be settings
// without their component; and reports those that name a setting of a task or a component of the
// tree, with the whole keys. The tree is not read yet, either.
bool has_short_keys(const Value& tree);
void report_short_keys(const Value& tree, const plugin::Catalog& catalog, Diagnostics& problems);

}  // namespace ptp::pipeline
