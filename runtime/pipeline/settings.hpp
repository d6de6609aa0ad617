// The settings of a component as the experiment sets them, checked against their declaration.

#pragma once

#include "base/diagnostics.hpp"
#include "base/source_location.hpp"
#include "base/value.hpp"
#include "plugin/catalog.hpp"
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
    const Value* document = nullptr;               // (optional) for advice on other tables
    const plugin::Catalog* catalog = nullptr;      // (optional) for advice on other components
};

// Returns one value for each declared setting, in order: the given one or the default, nullopt if
// there is neither or the value is wrong, which is reported. Integers given for reals are reals,
// one value given for a list is a list, paths are absolute, tables have the defaults of their
// members; a default has no place. `keys` are keys_of() the declared settings, made once for many
// components.
std::vector<std::optional<Value>> check_settings(const std::vector<plugin::Setting>& declared,
                                                 const std::vector<schema::Key>& keys,
                                                 const SettingsSource& source,
                                                 Diagnostics& problems);
std::vector<schema::Key> keys_of(const std::vector<plugin::Setting>& declared);

// Returns the boolean setting that is meant by a word in place of an integer: padding_same by
// padding = "same"; nullptr if there is none.
const plugin::Setting* setting_of_word(const std::vector<plugin::Setting>& declared,
                                       const Member& given);

// Returns the settings of the table `path` without those that are "none", which removes an optional
// table or choice, and with `padding_same = true` in place of each such word.
// Reports one beside `padding_same = false`, unless one of both is set from the command line, which
// counts.
Value without_words(const std::vector<plugin::Setting>& declared, const Value& settings,
                    const std::string& path, Diagnostics& problems);

// Returns whether a task reads this setting. `unlabeled` is the setting that names samples without
// targets, or nullptr if the experiment does not set it. If it is set, the task does not read the
// settings that name its other data.
bool is_read(const plugin::Setting& setting, const plugin::Setting* unlabeled);

// Returns one value in the form that the component gets; nullopt after reporting an error at `key`.
std::optional<Value> check_setting_value(const plugin::Setting& setting, const Value& value,
                                         const std::string& key, const std::filesystem::path& home,
                                         Diagnostics& problems);

}  // namespace ptp::pipeline
