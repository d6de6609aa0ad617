// Makes up settings: a few values of each type, alone and in lists, that the declaration allows.

#include "solo/attempt.hpp"

#include "base/diagnostics.hpp"
#include "base/suggest.hpp"
#include "pipeline/settings.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <string_view>
#include <utility>

namespace ptp::solo {

namespace {

using plugin::Component;
using plugin::Setting;
using plugin::SettingType;

// The lengths of all lists of a component, since many have to be equally long.
constexpr std::array<std::size_t, 4> kLengths = {2, 1, 3, 4};

class SettingMaker {
public:
    SettingMaker(const Component& component, std::size_t length)
        : component_(component), length_(length) {}

    // Returns all allowed values.
    [[nodiscard]] std::vector<Value> choices(const Setting& setting) const {
        std::vector<Value> found = candidates(setting);
        std::erase_if(found, [&](const Value& value) {
            Diagnostics problems;
            static_cast<void>(
                pipeline::check_setting_value(setting, value, setting.name, "/", problems));
            return !problems.ok();
        });
        return found;
    }

    // Returns a table with the first choice for each required setting.
    [[nodiscard]] Value table(const std::vector<Setting>& settings, const Value& given) const {
        Value made = given;
        for (const Setting& setting : settings) {
            if (!setting.is_required || setting.default_value || given.find(setting.name)) {
                continue;
            }
            std::vector<Value> values = choices(setting);
            if (!values.empty()) {
                made.set(setting.name, std::move(values.front()));
            }
        }
        return made;
    }

private:
    // Returns whether the setting has the names of streams or globals.
    [[nodiscard]] bool gives_names(const std::string& setting) const {
        return std::ranges::count(component_.ports, setting, &plugin::Port::streams_setting) > 0 ||
               std::ranges::count(component_.globals, "$" + setting, &plugin::Global::name) > 0;
    }

    [[nodiscard]] std::vector<Value> candidates(const Setting& setting) const {
        std::vector<Value> found;
        if (setting.list_depth == 1 && setting.type == SettingType::kString) {
            std::vector<Value> names;
            for (std::size_t i = 1; i <= length_; ++i) {
                names.emplace_back(gives_names(setting.name)
                                       ? fmt::format("{}_{}", setting.name, i)
                                       : std::string(1, static_cast<char>('a' + i - 1)));
            }
            found.push_back(Value::list(std::move(names)));
        }
        for (Value value : single(setting)) {
            for (std::uint32_t i = 0; i < setting.list_depth; ++i) {
                value = Value::list(std::vector<Value>(length_, value));
            }
            found.push_back(std::move(value));
        }
        return found;
    }

    // Returns the values of the setting without its lists.
    [[nodiscard]] std::vector<Value> single(const Setting& setting) const {
        switch (setting.type) {
            case SettingType::kBoolean:
                return {false, true};
            case SettingType::kInteger:
                return {4, 2, 1, 3, 0, -1, 8, 16, 32, 100};
            case SettingType::kReal:
                return {0.5, 1.0, 0.0, 2.0, -1.0, 100.0};
            case SettingType::kString:
                return {gives_names(setting.name) ? setting.name : std::string("a")};
            case SettingType::kEnumeration:
                return {setting.choices.begin(), setting.choices.end()};
            case SettingType::kTable:
                return {table(setting.members, Value())};
            case SettingType::kAny:
                return {4, Value::list(std::vector<Value>(length_, 4)), "a"};
            case SettingType::kPath:
                return {};
        }
        return {};
    }

    const Component& component_;
    std::size_t length_;
};

bool mentions(std::string_view text, std::string_view word) {
    const auto is_part = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
    };
    for (auto at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
        const std::size_t end = at + word.size();
        if ((at == 0 || !is_part(text[at - 1])) && (end == text.size() || !is_part(text[end]))) {
            return true;
        }
    }
    return false;
}

std::vector<const Setting*> open_settings(const Component& component, const Value& given,
                                          bool is_required) {
    std::vector<const Setting*> found;
    for (const Setting& setting : component.settings) {
        if ((setting.is_required && !setting.default_value) == is_required &&
            given.find(setting.name) == nullptr) {
            found.push_back(&setting);
        }
    }
    return found;
}

bool has_few_values(const Setting& setting) {
    return setting.type == SettingType::kEnumeration || setting.type == SettingType::kBoolean;
}

void add_once(Value table, std::vector<Value>& tables) {
    if (std::ranges::find(tables, table) == tables.end()) {
        tables.push_back(std::move(table));
    }
}

}  // namespace

std::vector<const Setting*> missing_settings(const Component& component, const Value& given) {
    std::vector<const Setting*> missing = open_settings(component, given, true);
    std::erase_if(missing, [&](const Setting* setting) {
        return std::ranges::any_of(kLengths, [&](std::size_t length) {
            return !SettingMaker(component, length).choices(*setting).empty();
        });
    });
    return missing;
}

std::string quoted_names(const std::vector<const Setting*>& settings) {
    std::vector<std::string> names;
    for (const Setting* const setting : settings) {
        names.push_back(fmt::format("'{}'", setting->name));
    }
    return joined(names);
}

std::vector<Value> made_up_settings(const Component& component, const Value& given,
                                    const std::string& refusal) {
    const bool is_first = refusal.empty();
    const auto is_named = [&](const Setting* setting) { return mentions(refusal, setting->name); };
    const std::vector<const Setting*> open = open_settings(component, given, is_first);
    std::vector<Value> tables;
    for (const std::size_t length : kLengths) {  // with the first value of everything
        const SettingMaker maker(component, length);
        Value table = maker.table(component.settings, given);
        for (const Setting* setting : open) {
            if (const auto values = maker.choices(*setting); is_named(setting) && !values.empty()) {
                table.set(setting->name, values.front());
            }
        }
        add_once(std::move(table), tables);
    }
    for (const std::size_t length : kLengths) {  // with another value of one setting
        const SettingMaker maker(component, length);
        const Value first = maker.table(component.settings, given);
        for (const Setting* setting : open) {
            if (!is_first && !is_named(setting) && !has_few_values(*setting)) {
                continue;
            }
            for (const Value& value : maker.choices(*setting)) {
                Value changed = first;
                changed.set(setting->name, value);
                add_once(std::move(changed), tables);
            }
        }
    }
    return tables;
}

Value made_up_members(const Component& component, const Setting& table) {
    return SettingMaker(component, kLengths.front()).table(table.members, Value());
}

}  // namespace ptp::solo
