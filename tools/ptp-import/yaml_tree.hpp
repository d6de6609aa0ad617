// Parses YAML text into values with their places. Only this module uses the YAML library.

#pragma once

#include "base/source_location.hpp"
#include "base/value.hpp"
#include "report.hpp"

#include <optional>
#include <set>
#include <string>

namespace ptp::importer {

// The places where null was written: there is no such value, so these are empty tables.
using Nulls = std::set<SourceLocation>;

bool is_null(const Value& value, const Nulls& nulls);

// Parses `text`; `file` is its name in places. Aliases and merge keys (`<<`) are resolved; the last
// of repeated keys counts, as in PyYAML, with a warning. Returns nullopt after reporting text that
// is not YAML, not UTF-8 or not a map, a tag beyond those of the safe loader, an alias within its
// own anchor, or a document that is too large.
std::optional<Value> read_yaml(const std::string& text, const std::string& file, Nulls& nulls,
                               Report& report);

}  // namespace ptp::importer
