// Keys of --set that name a setting without its component: dropout=0.1 for
// pipeline.net.dropout_rate=0.1, where the experiment does not write the setting.

#pragma once

#include "base/diagnostics.hpp"
#include "base/value.hpp"
#include "plugin/catalog.hpp"

namespace ptp::pipeline {

// Returns whether --set has keys that no experiment has, which may be such.
bool has_short_keys(const Value& tree);

// Reports those that name a setting of a task or a component of the tree, with the whole keys. The
// tree is not read yet: the plugins that it names are known before.
void report_short_keys(const Value& tree, const plugin::Catalog& catalog, Diagnostics& problems);

}  // namespace ptp::pipeline
