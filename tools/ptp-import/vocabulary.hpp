// The flags of PyTorchPipe's vocabularies: a component of ptp reads or publishes what it names.

#pragma once

#include "base/value.hpp"
#include "report.hpp"

#include <set>
#include <string>

namespace ptp::importer {

// Of a component's table. `published` has the vocabularies that components before it publish: two
// that publish the same one are one here.
void import_vocabulary(Value& table, const std::string& path, std::set<std::string>& published,
                       Report& report);

}  // namespace ptp::importer
