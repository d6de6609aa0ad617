#include "pipeline/settings.hpp"

#include "base/suggest.hpp"
#include "base/toml_reader.hpp"
#include "base/toml_writer.hpp"
#include "experiment/experiment.hpp"
#include "pipeline/setting_value.hpp"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>

namespace ptp::pipeline {

namespace {

std::string key_below(const std::string& path, const std::string& name) {
    return path + "." + toml_key(name);
}

std::vector<std::string> names_of(const std::vector<plugin::Setting>& declared) {
    std::vector<std::string> names;
    for (const plugin::Setting& setting : declared) {
        names.push_back(setting.name);
    }
    return names;
}

// A misspelt reserved name is meant more often than a setting that does not exist.
std::string hint_for_key(const std::string& key, const std::vector<plugin::Setting>& declared) {
    std::vector<std::string> names = names_of(declared);
    std::vector<std::string> all = names;
    for (const std::string_view reserved : experiment::kReservedNames) {
        all.emplace_back(reserved);
    }
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

std::optional<Value> absent_setting(const plugin::Setting& setting, const SettingsSource& source,
                                    bool is_needed, Diagnostics& problems) {
    const std::string key = key_below(source.path, setting.name);
    if (!is_needed) {
        return std::nullopt;
    }
    if (setting.is_required) {
        const std::string help = setting.help.empty() ? "" : fmt::format(" ({})", setting.help);
        problems.error(source.place, key,
                       fmt::format("required, but missing: {}{}", expected_text(setting), help));
        return std::nullopt;
    }
    if (!setting.default_value) {
        return std::nullopt;
    }
    // That the default is a value, and of the right kind, is checked with the declaration.
    const auto value = read_toml_value(*setting.default_value);
    if (!value) {
        return std::nullopt;
    }
    auto checked = check_setting_value(setting, *value, key, source.home, problems);
    return checked ? std::optional(checked->at(SourceLocation())) : std::nullopt;
}

std::string plural_text(const plugin::Setting& setting) {
    switch (setting.type) {
        case plugin::SettingType::boolean:
            return "booleans";
        case plugin::SettingType::integer:
            return "integers";
        case plugin::SettingType::real:
            return "reals";
        case plugin::SettingType::string:
            return "strings";
        case plugin::SettingType::path:
            return "paths";
        case plugin::SettingType::enumeration:
            return "strings";
        case plugin::SettingType::table:
            return "tables";
        case plugin::SettingType::any:
            return "values";
    }
    return "values";
}

std::string singular_text(const plugin::Setting& setting) {
    const std::string plural = plural_text(setting);
    const std::string one = plural.substr(0, plural.size() - 1);
    return (one.front() == 'i' ? "an " : "a ") + one;
}

}  // namespace

bool is_read(const plugin::Setting& setting, const plugin::Setting* unlabeled) {
    return unlabeled == nullptr || setting.takes_unlabeled || setting.obtain.empty();
}

std::string expected_text(const plugin::Setting& setting) {
    std::string text = singular_text(setting);
    if (setting.list_depth > 0) {
        text = "a list of ";
        for (std::uint32_t depth = 1; depth < setting.list_depth; ++depth) {
            text += "lists of ";
        }
        text += plural_text(setting);
        if (setting.takes_list_or_one) {
            text = singular_text(setting) + " or " + text;
        }
    }
    if (!setting.range.empty()) {
        text += " in " + setting.range;
    }
    if (!setting.choices.empty()) {
        text += fmt::format(", one of {}", fmt::join(setting.choices, ", "));
    }
    return text;
}

std::vector<std::optional<Value>> check_settings(const std::vector<plugin::Setting>& declared,
                                                 const SettingsSource& source,
                                                 Diagnostics& problems) {
    for (const Member& member : source.table.members()) {
        if (std::ranges::find(declared, member.key, &plugin::Setting::name) != declared.end()) {
            continue;
        }
        problems.error(member.key_place, key_below(source.path, member.key),
                       "unknown setting" + hint_for_key(member.key, declared));
    }
    std::vector<std::optional<Value>> values;
    const plugin::Setting* unlabeled = given_unlabeled(declared, source.table);
    for (const plugin::Setting& setting : declared) {
        const Value* given = source.table.find(setting.name);
        const bool is_needed = is_read(setting, unlabeled);
        if (given != nullptr && !is_needed) {
            problems.error(*given, key_below(source.path, setting.name),
                           fmt::format("is not read, because '{}' is given; remove one of them",
                                       unlabeled->name));
        }
        values.push_back(given == nullptr
                             ? absent_setting(setting, source, is_needed, problems)
                             : check_setting_value(setting, *given,
                                                   key_below(source.path, setting.name),
                                                   source.home, problems));
    }
    return values;
}

}  // namespace ptp::pipeline
