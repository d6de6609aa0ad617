#include "reference/declared.hpp"

#include "base/toml_reader.hpp"
#include "experiment/load/merge.hpp"
#include "pipeline/settings.hpp"
#include "reference/key_help.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <span>

namespace ptp::reference {

namespace {

using plugin::Setting;
using Parts = std::span<const std::string>;

std::optional<std::size_t> index_of(const std::string& part) {
    std::size_t index = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), index);
    const bool is_number = error == std::errc() && end == part.data() + part.size();
    return is_number ? std::optional(index) : std::nullopt;
}

std::string dotted(Parts parts) {
    std::string text;
    for (const std::string& part : parts) {
        text = experiment::below(text, part);
    }
    return text;
}

// How many parts lead to the table of a component or a task; 0 where a path leads elsewhere.
std::size_t owner_length(Parts key) {
    const bool is_component = key.size() >= 2 && key[0] == "pipeline";
    const bool is_task = key.size() >= 2 && key[1] == "task";
    return is_component || is_task ? 2 : 0;
}

std::optional<plugin::Found> owner_of(Parts key, const Declarations& declarations) {
    const std::size_t length = owner_length(key);
    if (length == 0) {
        return std::nullopt;
    }
    const KeyPath table(key.begin(), key.begin() + static_cast<std::ptrdiff_t>(length));
    const Value* component = find_value(declarations.tree, table);
    const Value* type = component == nullptr ? nullptr : component->find("type");
    if (type == nullptr || !type->is_string()) {
        return std::nullopt;
    }
    const auto found = declarations.catalog.find(type->as_string());
    return found.size() == 1 ? std::optional(found.front()) : std::nullopt;
}

std::optional<Value> default_of(const Setting& setting) {
    return setting.default_value ? read_toml_value(*setting.default_value) : std::nullopt;
}

// A setting, or a member of one, and the default that it has there.
struct SourceLocation {
    const Setting* setting = nullptr;
    std::optional<Value> default_value;
};

// `key` is the path below the component's table.
std::optional<SourceLocation> find_setting(const std::vector<Setting>& settings, Parts key) {
    const std::vector<Setting>* declared = &settings;
    SourceLocation place;
    for (std::size_t i = 0; i < key.size(); ++i) {
        const bool is_item = place.setting != nullptr && place.setting->list_depth > 0;
        if (is_item && index_of(key[i])) {
            place.default_value.reset();
            continue;
        }
        const auto found = std::ranges::find(*declared, key[i], &Setting::name);
        if (found == declared->end()) {
            return std::nullopt;
        }
        const Value* inherited = place.default_value ? place.default_value->find(key[i]) : nullptr;
        auto value = inherited != nullptr ? std::optional(*inherited) : default_of(*found);
        place = {&*found, std::move(value)};
        declared = &found->members;
    }
    return place;
}

std::optional<Declared> find_plugin_setting(const KeyPath& key, const Declarations& declarations) {
    const auto owner = owner_of(key, declarations);
    const std::size_t length = owner_length(key);
    if (!owner || key.size() <= length) {
        return std::nullopt;
    }
    const auto place = find_setting(owner->component->settings, Parts(key).subspan(length));
    if (!place) {
        return std::nullopt;
    }
    const plugin::Manifest& manifest = owner->plugin->manifest;
    return Declared{
        .by = fmt::format("{} ({} {})", owner->component->name, manifest.name, manifest.version),
        .expected = pipeline::expected_text(*place->setting),
        .help = place->setting->help,
        .default_value = place->default_value,
        .is_required = place->setting->is_required};
}

const std::vector<Setting>* settings_below(const KeyPath& table, const Declarations& declarations) {
    const auto owner = owner_of(table, declarations);
    if (!owner) {
        return nullptr;
    }
    const auto& settings = owner->component->settings;
    if (table.size() == owner_length(table)) {
        return &settings;
    }
    const auto place = find_setting(settings, Parts(table).subspan(owner_length(table)));
    return place ? &place->setting->members : nullptr;
}

}  // namespace

const Value* find_value(const Value& tree, const KeyPath& key) {
    const Value* value = &tree;
    for (const std::string& part : key) {
        if (value->is_list()) {
            const auto index = index_of(part);
            const bool is_item = index && *index < value->items().size();
            value = is_item ? &value->items()[*index] : nullptr;
        } else {
            value = value->find(part);
        }
        if (value == nullptr) {
            return nullptr;
        }
    }
    return value;
}

std::optional<Declared> find_declared(const KeyPath& key, const Declarations& declarations) {
    if (key.empty()) {
        return std::nullopt;
    }
    const std::string table = dotted(Parts(key).first(key.size() - 1));
    if (const experiment::Key* own = declarations.keys.find(table, key.back())) {
        return Declared{.by = "ptp",
                        .expected = experiment::expected_text(*own),
                        .help = std::string(key_help(dotted(key))),
                        .default_value = own->default_value,
                        .is_required = own->is_required};
    }
    return find_plugin_setting(key, declarations);
}

std::vector<std::string> known_keys(const KeyPath& table, const Declarations& declarations) {
    std::vector<std::string> names;
    std::set<std::string> seen;
    const auto add = [&](const std::string& name) {
        if (seen.insert(name).second) {
            names.push_back(name);
        }
    };
    const auto& tables = declarations.keys.tables();
    if (const auto keys = tables.find(dotted(table)); keys != tables.end()) {
        for (const experiment::Key& key : keys->second) {
            add(key.name);
        }
    }
    if (const auto* settings = settings_below(table, declarations)) {
        for (const Setting& setting : *settings) {
            add(setting.name);
        }
    }
    const Value* written = find_value(declarations.tree, table);
    if (written != nullptr && written->is_table()) {
        for (const Member& member : written->members()) {
            add(member.key);
        }
    }
    return names;
}

bool is_table(const KeyPath& key, const Declarations& declarations) {
    const Value* value = find_value(declarations.tree, key);
    return value != nullptr ? value->is_table() : !known_keys(key, declarations).empty();
}

bool is_left_out(const KeyPath& table, const Declarations& declarations) {
    if (find_value(declarations.tree, table) != nullptr) {
        return false;
    }
    return std::ranges::any_of(known_keys(table, declarations), [&](const std::string& name) {
        KeyPath key = table;
        key.push_back(name);
        const auto declared = find_declared(key, declarations);
        return declared && declared->is_required;
    });
}

std::string path_text(const KeyPath& key, const Value& tree) {
    std::string text;
    KeyPath parent;
    for (const std::string& part : key) {
        const Value* value = find_value(tree, parent);
        const bool is_item = value != nullptr && value->is_list();
        text = is_item ? fmt::format("{}[{}]", text, part) : experiment::below(text, part);
        parent.push_back(part);
    }
    return text;
}

}  // namespace ptp::reference
