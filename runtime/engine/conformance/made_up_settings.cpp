#include "engine/conformance/made_up_settings.hpp"

#include "config/diagnostics.hpp"
#include "pipeline/setting_value.hpp"

#include <cstdint>
#include <optional>
#include <utility>

namespace ptp::engine {

namespace {

using config::Value;
using plugin::Setting;
using plugin::SettingType;

constexpr std::size_t kMaxLength = 4;

bool is_allowed(const Setting& setting, const Value& value) {
    config::Diagnostics problems;
    static_cast<void>(pipeline::check_setting_value(setting, value, setting.name, "/", problems));
    return problems.ok();
}

// Of the setting without its lists.
std::vector<Value> candidates(const Setting& setting) {
    switch (setting.type) {
        case SettingType::boolean:
            return {false};
        case SettingType::integer:
            return {4, 2, 1, 3, 0, -1, 16, 100};
        case SettingType::real:
            return {0.5, 1.0, 0.0, 2.0, -1.0};
        case SettingType::string:
            return {"a"};
        case SettingType::enumeration:
            return {setting.choices.begin(), setting.choices.end()};
        case SettingType::table:
            return {made_up_settings(setting.members)};
        case SettingType::any:
            return {4, "a"};
        case SettingType::path:
            return {};
    }
    return {};
}

Value in_lists(Value value, std::uint32_t depth, std::size_t length) {
    for (std::uint32_t i = 0; i < depth; ++i) {
        value = Value::list(std::vector<Value>(length, value));
    }
    return value;
}

std::optional<Value> made_up(const Setting& setting) {
    for (std::size_t length = 1; length <= kMaxLength; ++length) {
        for (const Value& candidate : candidates(setting)) {
            Value value = in_lists(candidate, setting.list_depth, length);
            if (is_allowed(setting, value)) {
                return value;
            }
        }
    }
    return std::nullopt;
}

}  // namespace

Value made_up_settings(const std::vector<Setting>& settings) {
    Value table;
    for (const Setting& setting : settings) {
        if (!setting.is_required || setting.default_value) {
            continue;
        }
        if (std::optional<Value> value = made_up(setting)) {
            table.set(setting.name, std::move(*value));
        }
    }
    return table;
}

}  // namespace ptp::engine
