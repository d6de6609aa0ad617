// Checks whether a plugin can be loaded, matches its manifest, and has the functions that its
// components need: rules 201 to 203.
#pragma once

#include "child.hpp"
#include "plugin/catalog.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace ptp::inspect {

// The beginning of the reason of a finding if the plugin ended the process or exceeded the time
// limit.
inline constexpr std::string_view kLoadingIt = "loading it ";

// Runs the plugin's code in a child process. `missing_engine` is why the engine cannot be opened,
// "" if it is open: for a plugin that cannot be loaded without libtorch, rule 201 is then not
// tried, with that reason.
std::vector<RuleFinding> check_loading(const plugin::CatalogEntry& entry, int time_limit_s,
                                       const std::string& missing_engine);

}  // namespace ptp::inspect
