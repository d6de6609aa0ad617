#include "engine/conformance/setting_limits.hpp"

#include "base/toml_reader.hpp"
#include "engine/conformance/made_up_settings.hpp"
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

constexpr double kMaxInteger = 9007199254740992.0;  // 2^53: reals above it are not exact
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

// Returns the limits of the setting without its lists.
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

// Adds lists of the minimum and maximum length, each item like the first of these.
void add_lengths(const Setting& setting, const std::vector<Value>& items,
                 std::vector<Value>& values) {
    const std::optional<Range> range =
        setting.length.empty() ? std::nullopt : Range::parse(setting.length);
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

// Returns the limits, including lists, of a setting that is not a table.
std::vector<Value> plain_limits(const Setting& setting) {
    std::vector<Value> values = limits_of_one(setting);
    if (setting.list_depth > 1) {
        return {};
    }
    if (setting.list_depth == 1) {
        for (Value& value : values) {
            value = Value::list({value});
        }
        add_lengths(setting, limits_of_one(setting), values);
    }
    return values;
}

const Value* first_item(const Value* list) {
    return list != nullptr && list->is_list() && !list->items().empty() ? &list->items().front()
                                                                        : nullptr;
}

class LimitFinder {
public:
    explicit LimitFinder(const plugin::Component& component) : component_(component) {}

    // `given` is the author's value, and `now` the one it runs with; both may be nullptr.
    [[nodiscard]] std::vector<LimitValue> limits(const Setting& setting, const Value* given,
                                                 const Value* now) const {
        if (setting.type == SettingType::kTable) {
            return setting.list_depth > 1 ? std::vector<LimitValue>{}
                                          : limits_of_tables(setting, given, now);
        }
        std::vector<LimitValue> all;
        if (given == nullptr) {
            for (Value& value : plain_limits(setting)) {
                all.push_back({&setting, setting.name, value, value});
            }
        }
        return all;
    }

private:
    // Returns the limits of its members, one at a time; then lists of minimum and maximum length.
    [[nodiscard]] std::vector<LimitValue> limits_of_tables(const Setting& setting,
                                                           const Value* given,
                                                           const Value* now) const {
        if (setting.list_depth == 0) {
            return limits_of_members(setting, given, table_of(setting, now));
        }
        const Value table = table_of(setting, first_item(now));
        if (given != nullptr) {
            const Value* const own = first_item(given);
            return own == nullptr ? std::vector<LimitValue>{}
                                  : limits_of_members(setting, own, table);
        }
        std::vector<LimitValue> all = limits_of_members(setting, nullptr, table);
        std::vector<Value> lists;
        add_lengths(setting, {table}, lists);
        for (Value& list : lists) {
            all.push_back({&setting, setting.name, list, list});
        }
        return all;
    }

    [[nodiscard]] std::vector<LimitValue> limits_of_members(const Setting& setting,
                                                            const Value* given,
                                                            const Value& table) const {
        const bool is_list = setting.list_depth == 1;
        const std::string before = setting.name + (is_list ? "[0]." : ".");
        std::vector<LimitValue> all;
        for (const Setting& member : setting.members) {
            const Value* const provided = given == nullptr ? nullptr : given->find(member.name);
            for (LimitValue& limit : limits(member, provided, table.find(member.name))) {
                Value changed = table;
                changed.set(member.name, std::move(limit.value));
                all.push_back({&setting, before + limit.path, std::move(limit.shown),
                               is_list ? Value::list({changed}) : changed});
            }
        }
        return all;
    }

    // Returns the current table, the default one, or one with its required members, made up.
    [[nodiscard]] Value table_of(const Setting& setting, const Value* now) const {
        if (now != nullptr && now->is_table()) {
            return *now;
        }
        if (setting.default_value) {
            if (const auto usual = read_toml_value(*setting.default_value)) {
                const Value* const table = usual->is_list() ? first_item(&*usual) : &*usual;
                if (table != nullptr && table->is_table()) {
                    return *table;
                }
            }
        }
        return made_up_members(component_, setting);
    }

    const plugin::Component& component_;
};

}  // namespace

std::vector<LimitValue> limit_values(const plugin::Component& component, const Value& given,
                                     const Value& now) {
    std::vector<LimitValue> all;
    for (const Setting& setting : component.settings) {
        for (LimitValue& limit : LimitFinder(component).limits(setting, given.find(setting.name),
                                                               now.find(setting.name))) {
            all.push_back(std::move(limit));
        }
    }
    return all;
}

}  // namespace ptp::engine
