// The rules for the settings of a component and for their default values.
#pragma once

#include "plugin/manifest.hpp"

#include <string>
#include <vector>

namespace ptp::plugin {

// Appends the problems of the settings of a component. `where` is the component's name.
void check_settings(const Component& component, const std::string& where,
                    std::vector<std::string>& problems);

// Returns the error in a default value as TOML text of the setting's type; empty if there is none.
std::string check_default(const Setting& setting);

}  // namespace ptp::plugin
