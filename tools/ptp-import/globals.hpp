// Resolves names that several components share, after all tables are imported.

#pragma once

#include "base/value.hpp"
#include "plugin/catalog.hpp"
#include "report.hpp"

namespace ptp::importer {

// Resolves names in a whole experiment: removes globals that no component publishes, if streams
// determine the value; renames additional streams of ptp's task that the pipeline has too.
void settle_names(Value& experiment, const plugin::Catalog& catalog, Report& report);

}  // namespace ptp::importer
