// A component's table against what the plugin declares of it.

#pragma once

#include "base/value.hpp"
#include "plugin/manifest.hpp"
#include "report.hpp"

#include <string>
#include <string_view>

namespace ptp::importer {

// Whether the component has a setting of this name, or in `table` a stream, a global or a
// statistic.
bool is_declared(const plugin::Component& component, std::string_view table, std::string_view name);

// Texts such as "a, b" become lists where the component takes lists. What it does not declare is
// left out with a warning.
void fit(Value& table, const std::string& path, const plugin::Component& component, Report& report);

}  // namespace ptp::importer
