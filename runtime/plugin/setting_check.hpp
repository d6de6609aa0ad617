// The rules about the settings of a component, and the default values of settings.
#pragma once

#include "plugin/manifest.hpp"

#include <string>
#include <vector>

namespace ptp::plugin {

// Appends what is wrong with the settings of a component. `where` is the component's name.
void check_settings(const Component& component, const std::string& where,
                    std::vector<std::string>& problems);

// What is wrong with a default value as TOML text of the setting's type; empty if nothing is.
std::string check_default(const Setting& setting);

}  // namespace ptp::plugin
