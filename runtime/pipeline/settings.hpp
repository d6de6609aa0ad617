// The settings of a component as the experiment sets them, checked against their declaration.

#pragma once

#include "base/diagnostics.hpp"
#include "base/source_location.hpp"
#include "base/value.hpp"
#include "plugin/manifest.hpp"
#include "schema/key.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ptp::pipeline {

// The place of the settings.
struct SettingsSource {
    const Value& table;                 // everything in the component's table that is not reserved
    const std::string& path;            // "pipeline.net"
    SourceLocation place;               // of the component's table
    const std::filesystem::path& home;  // what "~" expands to in paths; empty: "~" is refused
    const plugin::Component* component = nullptr;  // (optional) for advice on its other names
};

// One value for each declared setting, in order: as given or by default, nullopt where there is
// neither. Integers given for reals are reals, one value given for a list is a list, paths are
// absolute, tables have their members' defaults; the place of a default is nowhere. Reports all
// that is wrong; what is wrong is nullopt. `keys` are keys_of() the declared settings, which are
// made once for many components.
std::vector<std::optional<Value>> check_settings(const std::vector<plugin::Setting>& declared,
                                                 const std::vector<schema::Key>& keys,
                                                 const SettingsSource& source,
                                                 Diagnostics& problems);
std::vector<schema::Key> keys_of(const std::vector<plugin::Setting>& declared);

// States whether a task reads this setting, given the one of its samples without targets, if it
// does: then without the settings that name where other data are.
bool is_read(const plugin::Setting& setting, const plugin::Setting* unlabeled);

// One value as the component gets it; nullopt after reporting what is wrong under `key`.
std::optional<Value> check_setting_value(const plugin::Setting& setting, const Value& value,
                                         const std::string& key, const std::filesystem::path& home,
                                         Diagnostics& problems);

}  // namespace ptp::pipeline
