// Names that several components share, once all tables are imported.

#pragma once

#include "base/value.hpp"
#include "plugin/catalog.hpp"
#include "report.hpp"

namespace ptp::importer {

// Of a whole experiment: what only the streams determine is not read from a global that no
// component publishes; what a task of ptp has besides gets another name where the pipeline has it
// too.
void settle_names(Value& experiment, const plugin::Catalog& catalog, Report& report);

}  // namespace ptp::importer
