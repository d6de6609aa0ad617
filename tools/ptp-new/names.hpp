// The names of a new plugin: which may be chosen, and those that follow.
#pragma once

#include <string>
#include <string_view>

namespace ptp::newplugin {

// "my_loss" -> "MyLoss".
std::string type_name_of(std::string_view plugin_name);

// Throws tools::UsageError for an unknown kind, with the one that was probably meant.
void require_kind(const std::string& kind);

// Throws tools::UsageError for what cannot be the name of a plugin, its files and its targets.
void require_plugin_name(const std::string& name);

// Throws tools::UsageError for what cannot be the name of a component and its class.
void require_type_name(const std::string& name);

}  // namespace ptp::newplugin
