// Whether a plugin can be loaded, is what its manifest declares, and has the functions that its
// components need: rules 201 to 203.
#pragma once

#include "child.hpp"
#include "plugin/catalog.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace ptp::inspect {

// How the reason of a finding begins whose plugin has ended the process, or was not done in time.
inline constexpr std::string_view kLoadingIt = "loading it ";

// Runs the plugin's code, in a child process. `missing_engine` is why the engine cannot be opened,
// "" if it is open: of a plugin that cannot be loaded for want of libtorch rule 201 is left untried
// with that reason.
std::vector<RuleFinding> check_loading(const plugin::CatalogEntry& entry, int time_limit_s,
                                       const std::string& missing_engine);

}  // namespace ptp::inspect
