// Fits a component's table to the plugin's declaration.

#pragma once

#include "base/value.hpp"
#include "plugin/manifest.hpp"
#include "report.hpp"

#include <string>
#include <string_view>

namespace ptp::importer {

// Returns whether the component has a setting of this name, or, in `table`, a stream, a global or a
// statistic.
bool is_declared(const plugin::Component& component, std::string_view table, std::string_view name);

// Converts texts such as "a, b" to lists if the component takes lists. Removes undeclared keys with
// a warning.
void fit(Value& table, const std::string& path, const plugin::Component& component, Report& report);

}  // namespace ptp::importer
