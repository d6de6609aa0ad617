// Checks the settings in a component's table.

#include "pipeline/settings.hpp"

#include "base/ranges.hpp"
#include "base/text.hpp"
#include "base/toml_writer.hpp"
#include "experiment/familiar_names.hpp"
#include "pipeline/expression.hpp"
#include "pipeline/layers.hpp"
#include "pipeline/unknown_setting.hpp"
#include "plugin/setting_key.hpp"
#include "schema/check_value.hpp"
#include "schema/key_path.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <exception>

namespace ptp::pipeline {

namespace {

// Returns whether an unknown key of the table is reported as a misspelling of the setting.
bool is_misspelled(const schema::Key& wanted, const std::vector<schema::Key>& keys,
                   const SettingsSource& source) {
    const std::string meant = fmt::format("did you mean '{}'?", wanted.name);
    const std::string named = fmt::format("here it is '{}', ", wanted.name);
    return std::ranges::any_of(source.table.members(), [&](const Member& member) {
        if (find_named(keys, member.key) != nullptr) {
            return false;
        }
        const std::string reason = unknown_setting(member, keys, source).reason;
        return reason.ends_with(meant) || reason.find(named) != std::string::npos;
    });
}

// The setting that is given samples without targets, if one is.
const plugin::Setting* given_unlabeled(const std::vector<plugin::Setting>& declared,
                                       const Value& table) {
    const auto found = std::ranges::find_if(declared, [&](const plugin::Setting& setting) {
        return setting.takes_unlabeled && table.find(setting.name) != nullptr;
    });
    return found == declared.end() ? nullptr : &*found;
}

// Returns the component that has this one in lists, as its layers; nullptr if none does.
const plugin::Component* owner_of_layers(const SettingsSource& source) {
    const auto has_it = [&](const plugin::CatalogEntry& entry) {
        return std::ranges::any_of(entry.manifest.components, [&](const plugin::Component& one) {
            return &one == source.component;
        });
    };
    const auto has_list = [](const plugin::Component& one) {
        return std::ranges::any_of(one.settings, [](const plugin::Setting& setting) {
            return setting.type == plugin::SettingType::kLayers && setting.name == "layers";
        });
    };
    const auto& plugins = source.catalog->plugins;
    const auto plugin = std::ranges::find_if(plugins, has_it);
    if (plugin == plugins.end()) {
        return nullptr;
    }
    const auto owner = std::ranges::find_if(plugin->manifest.components, has_list);
    return owner == plugin->manifest.components.end() ? nullptr : &*owner;
}

// Explains the name of a global, or a formula of them, in place of a number: layers in a list may
// have it. Returns nullopt for other values.
std::optional<Explanation> of_formula(const plugin::Setting& setting, const schema::Key& key,
                                      const Value& value, const SettingsSource& source) {
    const bool is_text = value.is_string() && !value.as_string().empty() &&
                         (std::isalpha(static_cast<unsigned char>(value.as_string()[0])) != 0);
    const bool takes_words =  // padding = "same"
        source.component != nullptr &&
        std::ranges::any_of(source.component->settings, [&](const plugin::Setting& other) {
            return other.name.starts_with(setting.name + "_") &&
                   other.type == plugin::SettingType::kBoolean;
        });
    if (!is_text || !takes_formula(setting) || source.catalog == nullptr ||
        source.component == nullptr || schema::accepts(key, value) ||
        source.path.find('[') != std::string::npos || takes_words) {
        return std::nullopt;
    }
    const plugin::Component* const owner = owner_of_layers(source);
    try {
        parse_formula(value.as_string());
    } catch (const std::exception&) {
        return std::nullopt;
    }
    if (owner == nullptr || owner == source.component) {
        return std::nullopt;
    }
    Value layer = Value::table();
    layer.set("type", Value(source.component->name));
    for (const Member& member : source.table.members()) {
        layer.set(member.key, member.value);
    }
    return Explanation{
        fmt::format("must be {}, not a string: only layers in a list have the names of globals in "
                    "place of numbers",
                    schema::expected_text(key)),
        fmt::format("write type = \"{}\" and layers = [{}] in {}, and leave the other settings out",
                    owner->name, inline_toml(layer), source.path)};
}

}  // namespace

const plugin::Setting* setting_of_word(const std::vector<plugin::Setting>& declared,
                                       const Member& given) {
    const plugin::Setting* const number = find_named(declared, given.key);
    if (number == nullptr || number->type != plugin::SettingType::kInteger ||
        !given.value.is_string()) {
        return nullptr;
    }
    const auto* const flag = find_named(declared, given.key + "_" + given.value.as_string());
    return flag != nullptr && flag->type == plugin::SettingType::kBoolean ? flag : nullptr;
}

namespace {

// Returns whether the value removes the setting, as --set can: "none" for a table, or for a choice
// that has no such word.
bool is_removal(const std::vector<plugin::Setting>& declared, const Member& given) {
    const plugin::Setting* const setting = find_named(declared, given.key);
    return setting != nullptr && given.value == Value("none") && !setting->is_required &&
           !setting->default_value &&
           (plugin::key_of(*setting).can_be_none ||
            (setting->type == plugin::SettingType::kEnumeration && setting->list_depth == 0 &&
             !contains(setting->choices, "none")));
}

}  // namespace

Value without_words(const std::vector<plugin::Setting>& declared, const Value& settings,
                    const std::string& path, Diagnostics& problems) {
    Value result = Value::table().at(settings.place());
    for (const Member& member : settings.members()) {
        if (is_removal(declared, member)) {
            continue;
        }
        const plugin::Setting* const flag = setting_of_word(declared, member);
        if (flag == nullptr) {
            result.set(member.key, member.value, member.key_place);
            continue;
        }
        const Value* written = settings.find(flag->name);
        const bool is_other = written != nullptr && *written != Value(true);
        const bool is_typed = member.value.place().file() == kCommandLine;
        if (is_other && is_typed == (written->place().file() == kCommandLine)) {
            problems.error(*written, schema::below(path, flag->name),
                           Explanation{fmt::format("{} = {} is beside it, which means true",
                                                   member.key, inline_toml(member.value)),
                                       fmt::format("leave {} out", flag->name)});
        }
        if (!is_other || is_typed) {
            result.set(flag->name, Value(true).at(member.value.place()), member.key_place);
        }
    }
    return result;
}

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
    return transformed(declared,
                       [](const plugin::Setting& setting) { return plugin::key_of(setting); });
}

std::vector<std::optional<Value>> check_settings(const std::vector<plugin::Setting>& declared,
                                                 const std::vector<schema::Key>& keys,
                                                 const SettingsSource& source,
                                                 Diagnostics& problems) {
    for (const Member& member : source.table.members()) {
        if (find_named(declared, member.key) != nullptr) {
            if (auto other = of_other_key(member, source)) {
                problems.error(member.value, schema::below(source.path, member.key), *other);
            }
            continue;
        }
        problems.error(member.key_place, schema::below(source.path, member.key),
                       unknown_setting(member, keys, source));
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
        if (const auto of_others =
                given != nullptr ? of_pixels(keys[i], *given, key) : std::nullopt) {
            problems.error(*given, key, *of_others);
            values.emplace_back();
            continue;
        }
        const schema::CheckContext context{source.home, problems, &experiment::kFamiliarNames};
        const auto of_globals =
            given == nullptr ? std::nullopt : of_formula(setting, keys[i], *given, source);
        if (of_globals) {
            problems.error(*given, key, *of_globals);
            values.emplace_back();
            continue;
        }
        values.push_back(given != nullptr ? schema::check_value(keys[i], *given, key, context)
                         : is_needed &&
                                 !(keys[i].is_required && is_misspelled(keys[i], keys, source))
                             ? schema::check_absent(keys[i], source.place, key, context)
                             : std::nullopt);
    }
    return values;
}

}  // namespace ptp::pipeline
