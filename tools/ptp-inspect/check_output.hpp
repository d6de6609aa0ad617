// What --check prints.
#pragma once

#include "check.hpp"

#include <string>
#include <vector>

namespace ptp::inspect {

// A line for each rule, below it what it has found, and how many there are of each outcome.
std::string check_report_text(const PluginReport& report);

// Of all plugins, as one JSON object.
std::string report_json(const std::vector<PluginReport>& reports, const CheckOptions& options);

}  // namespace ptp::inspect
