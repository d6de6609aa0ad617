// The output of --check.
#pragma once

#include "check.hpp"

#include <string>
#include <vector>

namespace ptp::inspect {

// Returns a line for each rule, its findings below it, and the number of each outcome.
std::string check_report_text(const PluginReport& report);

// Returns the reports on all plugins as one JSON object.
std::string report_json(const std::vector<PluginReport>& reports, const CheckOptions& options);

}  // namespace ptp::inspect
