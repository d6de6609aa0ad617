#include "engine/conformance/made_up_settings.hpp"

#include "base/diagnostics.hpp"
#include "pipeline/settings.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <string_view>
#include <utility>

namespace ptp::engine {

namespace {

using plugin::Component;
using plugin::Setting;
using plugin::SettingType;

// The lengths of all lists of a component, since many have to be equally long.
constexpr std::array<std::size_t, 4> kLengths = {2, 1, 3, 4};

bool is_allowed(const Setting& setting, const Value& value) {
    Diagnostics problems;
    static_cast<void>(pipeline::check_setting_value(setting, value, setting.name, "/", problems));
    return problems.ok();
}

// Returns whether the setting has the names of streams or globals.
bool gives_names(const Component& component, const std::string& setting) {
    return std::ranges::any_of(
               component.ports,
               [&](const plugin::Port& port) { return port.streams_setting == setting; }) ||
           std::ranges::any_of(component.globals, [&](const plugin::Global& global) {
               return global.name == "$" + setting;
           });
}

class SettingMaker {
public:
    SettingMaker(const Component& component, std::size_t length)
        : component_(component), length_(length) {}

    // Returns all allowed values.
    [[nodiscard]] std::vector<Value> choices(const Setting& setting) const {
        std::vector<Value> found;
        for (Value& value : candidates(setting)) {
            if (is_allowed(setting, value)) {
                found.push_back(std::move(value));
            }
        }
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
    [[nodiscard]] std::vector<Value> candidates(const Setting& setting) const {
        std::vector<Value> found;
        if (setting.list_depth == 1 && setting.type == SettingType::kString) {
            std::vector<Value> names;
            for (std::size_t i = 1; i <= length_; ++i) {
                names.emplace_back(gives_names(component_, setting.name)
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
                return {gives_names(component_, setting.name) ? setting.name : std::string("a")};
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

class Collection {
public:
    void add(Value table) {
        if (std::ranges::find(tables_, table) == tables_.end()) {
            tables_.push_back(std::move(table));
        }
    }
    [[nodiscard]] std::vector<Value> take() { return std::move(tables_); }

private:
    std::vector<Value> tables_;
};

bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

bool names(std::string_view text, std::string_view word) {
    for (auto at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
        const std::size_t end = at + word.size();
        if ((at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end]))) {
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

Value changed(const Value& table, const Setting& setting, const Value& value) {
    Value other = table;
    other.set(setting.name, value);
    return other;
}

// Adds the table with each value that the setting may have.
void add_choices(const SettingMaker& maker, const Value& table, const Setting& setting,
                 Collection& tables) {
    for (const Value& value : maker.choices(setting)) {
        tables.add(changed(table, setting, value));
    }
}

// Adds the table with each pair of values of two settings.
void add_pairs(const SettingMaker& maker, const Value& table,
               const std::vector<const Setting*>& open, Collection& tables) {
    for (std::size_t i = 0; i < open.size(); ++i) {
        for (std::size_t j = i + 1; j < open.size(); ++j) {
            for (const Value& value : maker.choices(*open[i])) {
                add_choices(maker, changed(table, *open[i], value), *open[j], tables);
            }
        }
    }
}

}  // namespace

std::vector<const Setting*> missing_settings(const Component& component, const Value& given) {
    std::vector<const Setting*> missing;
    for (const Setting* setting : open_settings(component, given, true)) {
        if (std::ranges::all_of(kLengths, [&](std::size_t length) {
                return SettingMaker(component, length).choices(*setting).empty();
            })) {
            missing.push_back(setting);
        }
    }
    return missing;
}

std::vector<Value> made_up_settings(const Component& component, const Value& given) {
    Collection tables;
    for (const std::size_t length : kLengths) {
        tables.add(SettingMaker(component, length).table(component.settings, given));
    }
    const auto open = open_settings(component, given, true);
    for (const std::size_t length : kLengths) {  // another value for one of them
        const SettingMaker maker(component, length);
        const Value first = maker.table(component.settings, given);
        for (const Setting* setting : open) {
            add_choices(maker, first, *setting, tables);
        }
    }
    for (const std::size_t length : {kLengths[0], kLengths[1]}) {  // two of them
        const SettingMaker maker(component, length);
        add_pairs(maker, maker.table(component.settings, given), open, tables);
    }
    return tables.take();
}

Value made_up_members(const Component& component, const Setting& table) {
    return SettingMaker(component, kLengths[0]).table(table.members, Value());
}

std::vector<Value> more_settings(const Component& component, const Value& given,
                                 const std::string& refusal) {
    Collection tables;
    const auto open = open_settings(component, given, false);
    for (const std::size_t length : kLengths) {  // all that the refusal names
        const SettingMaker maker(component, length);
        Value table = maker.table(component.settings, given);
        for (const Setting* setting : open) {
            const std::vector<Value> values = maker.choices(*setting);
            if (names(refusal, setting->name) && !values.empty()) {
                table.set(setting->name, values.front());
            }
        }
        tables.add(std::move(table));
    }
    for (const std::size_t length : kLengths) {  // one of these, or one with few values
        const SettingMaker maker(component, length);
        const Value first = maker.table(component.settings, given);
        for (const Setting* setting : open) {
            if (names(refusal, setting->name) || setting->type == SettingType::kEnumeration ||
                setting->type == SettingType::kBoolean) {
                add_choices(maker, first, *setting, tables);
            }
        }
    }
    return tables.take();
}

}  // namespace ptp::engine
