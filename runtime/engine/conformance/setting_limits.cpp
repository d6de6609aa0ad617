#include "engine/conformance/setting_limits.hpp"

#include "schema/range.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

namespace ptp::engine {

namespace {

using plugin::Setting;
using plugin::SettingType;
using schema::Range;

constexpr double kMaxInteger = 9007199254740992.0;  // 2^53: beyond it a real may be another number
constexpr std::int64_t kMaxItems = 64;

std::vector<Value> integers_at(const Range& range) {
    std::vector<Value> values;
    if (std::abs(range.low()) <= kMaxInteger) {
        const double low = std::ceil(range.low());
        values.emplace_back(static_cast<std::int64_t>(low) + (range.contains(low) ? 0 : 1));
    }
    if (std::abs(range.high()) <= kMaxInteger) {
        const double high = std::floor(range.high());
        values.emplace_back(static_cast<std::int64_t>(high) - (range.contains(high) ? 0 : 1));
    }
    return values;
}

std::vector<Value> reals_at(const Range& range) {
    std::vector<Value> values;
    if (std::isfinite(range.low())) {
        values.emplace_back(range.includes_low() ? range.low()
                                                 : std::nextafter(range.low(), range.high()));
    }
    if (std::isfinite(range.high())) {
        values.emplace_back(range.includes_high() ? range.high()
                                                  : std::nextafter(range.high(), range.low()));
    }
    return values;
}

// Of the setting without its lists.
std::vector<Value> limits_of_one(const Setting& setting) {
    const std::optional<Range> range =
        setting.range.empty() ? std::nullopt : Range::parse(setting.range);
    switch (setting.type) {
        case SettingType::kBoolean:
            return {false, true};
        case SettingType::kInteger:
            return range ? integers_at(*range) : std::vector<Value>{};
        case SettingType::kReal:
            return range ? reals_at(*range) : std::vector<Value>{};
        case SettingType::kEnumeration:
            return {setting.choices.begin(), setting.choices.end()};
        default:
            return {};
    }
}

// The default of a list with another number of items, each like its first.
void add_lengths(const Setting& setting, std::vector<Value>& values) {
    const std::optional<Range> range =
        setting.length.empty() ? std::nullopt : Range::parse(setting.length);
    const std::vector<Value> items = limits_of_one(setting);
    if (!range || items.empty()) {
        return;
    }
    for (const Value& length : integers_at(*range)) {
        const std::int64_t count = length.as_integer();
        if (count >= 0 && count <= kMaxItems) {
            values.push_back(
                Value::list(std::vector<Value>(static_cast<std::size_t>(count), items.front())));
        }
    }
}

}  // namespace

std::vector<LimitValue> limit_values(const plugin::Component& component) {
    std::vector<LimitValue> all;
    for (const Setting& setting : component.settings) {
        std::vector<Value> values = limits_of_one(setting);
        if (setting.list_depth == 1) {
            for (Value& value : values) {
                value = Value::list({value});
            }
            add_lengths(setting, values);
        } else if (setting.list_depth > 1) {
            values.clear();
        }
        for (Value& value : values) {
            all.push_back({&setting, std::move(value)});
        }
    }
    return all;
}

}  // namespace ptp::engine
