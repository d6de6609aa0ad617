#include "pipeline/settings.hpp"

#include "base/suggest.hpp"
#include "plugin/setting_key.hpp"
#include "schema/check_value.hpp"
#include "schema/key_path.hpp"

#include <ptp/reserved_names.h>

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>

namespace ptp::pipeline {

namespace {

std::vector<std::string> setting_names(const std::vector<plugin::Setting>& declared) {
    std::vector<std::string> names;
    for (const plugin::Setting& setting : declared) {
        names.push_back(setting.name);
    }
    return names;
}

// A misspelt reserved name is meant more often than a setting that does not exist.
std::string hint_for_key(const std::string& key, const std::vector<plugin::Setting>& declared) {
    std::vector<std::string> names = setting_names(declared);
    std::vector<std::string> all = names;
    all.insert(all.end(), {PTP_RESERVED_NAMES});
    if (nearest(key, all)) {
        return hint(key, all);
    }
    return names.empty() ? "; it has no settings" : hint(key, names);
}

// The setting that is given samples without targets, if one is.
const plugin::Setting* given_unlabeled(const std::vector<plugin::Setting>& declared,
                                       const Value& table) {
    const auto found = std::ranges::find_if(declared, [&](const plugin::Setting& setting) {
        return setting.takes_unlabeled && table.find(setting.name) != nullptr;
    });
    return found == declared.end() ? nullptr : &*found;
}

}  // namespace

bool is_read(const plugin::Setting& setting, const plugin::Setting* unlabeled) {
    return unlabeled == nullptr || &setting == unlabeled ||
           (setting.obtain.empty() && !setting.takes_unlabeled);
}

std::optional<Value> check_setting_value(const plugin::Setting& setting, const Value& value,
                                         const std::string& key, const std::filesystem::path& home,
                                         Diagnostics& problems) {
    return schema::check_value(plugin::key_of(setting), value, key, {home, problems});
}

std::vector<schema::Key> keys_of(const std::vector<plugin::Setting>& declared) {
    std::vector<schema::Key> keys;
    keys.reserve(declared.size());
    for (const plugin::Setting& setting : declared) {
        keys.push_back(plugin::key_of(setting));
    }
    return keys;
}

std::vector<std::optional<Value>> check_settings(const std::vector<plugin::Setting>& declared,
                                                 const SettingsSource& source,
                                                 Diagnostics& problems) {
    return check_settings(declared, keys_of(declared), source, problems);
}

std::vector<std::optional<Value>> check_settings(const std::vector<plugin::Setting>& declared,
                                                 const std::vector<schema::Key>& keys,
                                                 const SettingsSource& source,
                                                 Diagnostics& problems) {
    for (const Member& member : source.table.members()) {
        if (std::ranges::find(declared, member.key, &plugin::Setting::name) != declared.end()) {
            continue;
        }
        problems.error(member.key_place, schema::below(source.path, member.key),
                       "unknown setting" + hint_for_key(member.key, declared));
    }
    std::vector<std::optional<Value>> values;
    values.reserve(declared.size());
    const plugin::Setting* unlabeled = given_unlabeled(declared, source.table);
    for (std::size_t i = 0; i < declared.size(); ++i) {
        const plugin::Setting& setting = declared[i];
        const Value* given = source.table.find(setting.name);
        const bool is_needed = is_read(setting, unlabeled);
        if (given != nullptr && !is_needed) {
            problems.error(*given, schema::below(source.path, setting.name),
                           fmt::format("is not read, because '{}' is given; remove one of them",
                                       unlabeled->name));
        }
        const std::string key = schema::below(source.path, setting.name);
        const schema::CheckContext context{source.home, problems};
        if (given != nullptr) {
            values.push_back(schema::check_value(keys[i], *given, key, context));
        } else {
            values.push_back(is_needed ? schema::check_absent(keys[i], source.place, key, context)
                                       : std::nullopt);
        }
    }
    return values;
}

}  // namespace ptp::pipeline
