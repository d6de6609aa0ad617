// YAML text to values with their places. The only door to the YAML library.

#pragma once

#include "base/source_location.hpp"
#include "base/value.hpp"
#include "report.hpp"

#include <optional>
#include <set>
#include <string>

namespace ptp::importer {

// Where null was written: values have none, and are empty tables there.
using Nulls = std::set<SourceLocation>;

bool is_null(const Value& value, const Nulls& nulls);

// `file` is the name to use in places. Aliases and merge keys (`<<`) are resolved; of a key that is
// written twice the last one counts, as in PyYAML, with a warning. nullopt after reporting what is
// not YAML, not UTF-8 or not a map, a tag beyond those of the safe loader, an alias within its own
// anchor, and what is too large.
std::optional<Value> read_yaml(const std::string& text, const std::string& file, Nulls& nulls,
                               Report& report);

}  // namespace ptp::importer
