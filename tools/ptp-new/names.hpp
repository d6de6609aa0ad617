// Checks and derives the names of a new plugin.
#pragma once

#include <string>
#include <string_view>

namespace ptp::newplugin {

// Returns "MyLoss" for "my_loss".
std::string type_name_of(std::string_view plugin_name);

// Throws tools::UsageError for an unknown kind, with the probable one.
void require_kind(const std::string& kind);

// Throws tools::UsageError for an invalid name of a plugin, its files and its targets.
void require_plugin_name(const std::string& name);

// Throws tools::UsageError for an invalid name of a component and its class.
void require_type_name(const std::string& name);

}  // namespace ptp::newplugin
