#include "pipeline/setting_value.hpp"

#include "base/paths.hpp"
#include "base/toml_reader.hpp"
#include "experiment/advice.hpp"
#include "experiment/range.hpp"
#include "pipeline/settings.hpp"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ptp::pipeline {

namespace {

using plugin::Setting;
using plugin::SettingType;

// Where a value is and where to say what is wrong with it.
struct Context {
    const std::string& key;
    const std::filesystem::path& home;
    Diagnostics& problems;

    [[nodiscard]] std::optional<Value> refuse(const Value& value, std::string message) const {
        problems.error(value, key, std::move(message));
        return std::nullopt;
    }
};

// A table is long to quote and its place says enough.
std::optional<Value> refuse_type(const Setting& setting, const Value& value, const Context& context,
                                 bool (Value::*is_wanted)() const) {
    return context.refuse(
        value, fmt::format("must be {}, not {}{}", expected_text(setting), type_name(value.type()),
                           experiment::advice_on_quotes(value, is_wanted)));
}

std::optional<Value> check_number(const Setting& setting, const Value& value,
                                  const Context& context) {
    const bool wants_integer = setting.type == SettingType::integer;
    if (wants_integer ? !value.is_integer() : !value.is_number()) {
        return refuse_type(setting, value, context,
                           wants_integer ? &Value::is_integer : &Value::is_number);
    }
    const double number = value.as_real();
    const auto range = experiment::Range::parse(setting.range);
    if (range ? !range->contains(number) : !std::isfinite(number)) {
        return context.refuse(value, range ? "must be in " + range->text() : "must be finite");
    }
    return wants_integer ? value : Value(number).at(value.place());
}

std::optional<Value> check_choice(const Setting& setting, const Value& value,
                                  const Context& context) {
    const auto& choices = setting.choices;
    if (std::ranges::find(choices, value.as_string()) != choices.end()) {
        return value;
    }
    return context.refuse(value, fmt::format("must be one of {}", fmt::join(choices, ", ")));
}

std::optional<Value> check_path(const Value& value, const Context& context) {
    if (value.as_string().empty()) {
        return value;
    }
    const auto path = path_from(value.as_string(), value.place(), context.home);
    if (!path) {
        return context.refuse(value, "'~' is not known here: give an absolute path");
    }
    const auto absolute = std::filesystem::absolute(*path).lexically_normal();
    return Value(absolute.string()).at(value.place());
}

// What is not given of a table is as in the table's own default, or else as in the member's.
Value over_default(const Setting& setting, const Value& given) {
    if (!setting.default_value || setting.list_depth > 0) {
        return given;
    }
    auto whole = read_toml_value(*setting.default_value);
    if (!whole || !whole->is_table()) {
        return given;
    }
    for (const Member& member : given.members()) {
        whole->set(member.key, member.value, member.key_place);
    }
    return whole->at(given.place());
}

std::optional<Value> check_table(const Setting& setting, const Value& value,
                                 const Context& context) {
    const std::size_t errors_before = context.problems.error_count();
    const Value whole = over_default(setting, value);
    const SettingsSource source{whole, context.key, value.place(), context.home};
    const auto members = check_settings(setting.members, source, context.problems);
    if (context.problems.error_count() > errors_before) {
        return std::nullopt;
    }
    Value table;
    for (std::size_t i = 0; i < members.size(); ++i) {
        if (members[i]) {
            table.set(setting.members[i].name, *members[i]);
        }
    }
    return table.at(value.place());
}

std::optional<Value> check_single(const Setting& setting, const Value& value,
                                  const Context& context) {
    switch (setting.type) {
        case SettingType::any:
            return value;
        case SettingType::integer:
        case SettingType::real:
            return check_number(setting, value, context);
        case SettingType::boolean:
            return value.is_bool() ? value : refuse_type(setting, value, context, &Value::is_bool);
        case SettingType::table:
            return value.is_table() ? check_table(setting, value, context)
                                    : refuse_type(setting, value, context, &Value::is_table);
        case SettingType::string:
        case SettingType::path:
        case SettingType::enumeration:
            break;
    }
    if (!value.is_string()) {
        return refuse_type(setting, value, context, &Value::is_string);
    }
    if (setting.type == SettingType::path) {
        return check_path(value, context);
    }
    return setting.type == SettingType::string ? value : check_choice(setting, value, context);
}

std::optional<Value> check_list(const Setting& setting, const Value& value, std::uint32_t depth,
                                const Context& context) {
    if (depth == 0) {
        return check_single(setting, value, context);
    }
    if (!value.is_list()) {
        return refuse_type(setting, value, context, &Value::is_list);
    }
    std::vector<Value> items;
    for (std::size_t i = 0; i < value.items().size(); ++i) {
        const std::string key = fmt::format("{}[{}]", context.key, i);
        const Context inner{key, context.home, context.problems};
        auto item = check_list(setting, value.items()[i], depth - 1, inner);
        if (item) {
            items.push_back(std::move(*item));
        }
    }
    if (items.size() < value.items().size()) {
        return std::nullopt;
    }
    return Value::list(std::move(items)).at(value.place());
}

// "at least 1 item", "at most 3 items", "2 items", "1 to 4 items".
std::string items_text(const experiment::Range& length) {
    double low = std::max(0.0, std::ceil(length.low()));
    double high = std::floor(length.high());
    low += length.contains(low) ? 0 : 1;
    high -= length.contains(high) || std::isinf(high) ? 0 : 1;
    const auto items = [](double count) { return count == 1 ? "item" : "items"; };
    if (!std::isfinite(high)) {
        return fmt::format("at least {} {}", low, items(low));
    }
    if (low == high) {
        return fmt::format("{} {}", high, items(high));
    }
    if (low <= 0) {
        return fmt::format("at most {} {}", high, items(high));
    }
    return fmt::format("{} to {} items", low, high);
}

}  // namespace

std::optional<Value> check_setting_value(const Setting& setting, const Value& value,
                                         const std::string& key, const std::filesystem::path& home,
                                         Diagnostics& problems) {
    const Context context{key, home, problems};
    if (setting.takes_list_or_one && !value.is_list()) {
        auto one = check_single(setting, value, context);
        if (!one) {
            return std::nullopt;
        }
        return check_setting_value(setting, Value::list({std::move(*one)}).at(value.place()), key,
                                   home, problems);
    }
    const auto length = experiment::Range::parse(setting.length);
    if (value.is_list() && setting.list_depth > 0 && length) {
        const auto count = static_cast<double>(value.items().size());
        if (!length->contains(count)) {
            return context.refuse(value, fmt::format("must have {}, has {}", items_text(*length),
                                                     value.items().size()));
        }
    }
    return check_list(setting, value, setting.list_depth, context);
}

}  // namespace ptp::pipeline
