#include "pipeline/setting_signature.hpp"

#include "plugin/setting_key.hpp"
#include "schema/range.hpp"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

namespace ptp::pipeline {

namespace {

using plugin::Setting;
using plugin::SettingType;

// An interval with the numbers at its ends in or out.
struct Interval {
    double low = 0;
    double high = 0;
    bool has_low = true;
    bool has_high = true;

    bool operator==(const Interval&) const = default;
};

// Reads a range; for integers (0, 5) is [1, 4]. An empty text is the range of all numbers. Returns
// nullopt for a text that is not a range.
std::optional<Interval> interval_of(const std::string& text, bool is_integer) {
    const auto range = schema::Range::parse(text.empty() ? "[-inf, inf]" : text);
    if (!range) {
        return std::nullopt;
    }
    Interval interval{range->low(), range->high(), range->includes_low(), range->includes_high()};
    if (is_integer) {
        interval.low = interval.has_low ? std::ceil(interval.low) : std::floor(interval.low) + 1;
        interval.high =
            interval.has_high ? std::floor(interval.high) : std::ceil(interval.high) - 1;
        interval.has_low = true;
        interval.has_high = true;
    }
    return interval;
}

std::string_view or_none(std::string_view text) {
    return text.empty() ? "none" : text;
}

// One setting that both have.
class SettingComparison {
public:
    SettingComparison(const Setting& running, const Setting& offered, std::string name,
                      std::vector<SignatureDifference>& differences)
        : running_(running), offered_(offered), name_(std::move(name)), differences_(differences) {}

    void all() {
        required();
        type();
        interval("range", running_.range, offered_.range,
                 running_.type == SettingType::kInteger && offered_.type == running_.type);
        interval("length", running_.length, offered_.length, true);
        choices();
        default_value();
        compare_settings(running_.members, offered_.members, name_ + ".", differences_);
    }

private:
    void add(std::string text) { differences_.push_back({std::move(text)}); }

    void required() {
        if (offered_.is_required && !running_.is_required) {
            add(fmt::format("setting '{}' is required now", name_));
        } else if (running_.is_required && !offered_.is_required) {
            add(fmt::format("setting '{}' is not required any more", name_));
        }
    }

    void type();
    void interval(std::string_view noun, const std::string& running, const std::string& offered,
                  bool is_integer);
    void choices();

    void default_value() {
        if (running_.default_value != offered_.default_value) {
            add(fmt::format("default of '{}' was {}, is {}; the running component keeps its value",
                            name_, or_none(running_.default_value.value_or("")),
                            or_none(offered_.default_value.value_or(""))));
        }
    }

    const Setting& running_;
    const Setting& offered_;
    std::string name_;
    std::vector<SignatureDifference>& differences_;
};

void SettingComparison::type() {
    if (running_.type != offered_.type || running_.list_depth != offered_.list_depth ||
        running_.takes_list_or_one != offered_.takes_list_or_one) {
        add(fmt::format("setting '{}' was {}, is {}", name_, plugin::type_text(running_),
                        plugin::type_text(offered_)));
    }
}

void SettingComparison::interval(std::string_view noun, const std::string& running,
                                 const std::string& offered, bool is_integer) {
    const auto before = interval_of(running, is_integer);
    const auto after = interval_of(offered, is_integer);
    if (running == offered || (before && before == after)) {
        return;
    }
    add(fmt::format("{} of '{}' was {}, is {}", noun, name_, or_none(running), or_none(offered)));
}

void SettingComparison::choices() {
    if (offered_.type != SettingType::kEnumeration || running_.type != offered_.type) {
        return;
    }
    const auto has = [](const Setting& setting, const std::string& choice) {
        return std::ranges::find(setting.choices, choice) != setting.choices.end();
    };
    for (const std::string& choice : running_.choices) {
        if (!has(offered_, choice)) {
            add(fmt::format("choice '{}' of '{}' has vanished", choice, name_));
        }
    }
    for (const std::string& choice : offered_.choices) {
        if (!has(running_, choice)) {
            add(fmt::format("choice '{}' of '{}' is new", choice, name_));
        }
    }
}

SignatureDifference new_setting(const Setting& setting, const std::string& name) {
    if (setting.is_required) {
        return {fmt::format("setting '{}' is new and required", name)};
    }
    return {setting.default_value
                ? fmt::format("setting '{}' is new; it takes its default, {}", name,
                              *setting.default_value)
                : fmt::format("setting '{}' is new; it stays without a value", name)};
}

const Setting* find_named(const std::vector<Setting>& settings, const std::string& name) {
    const auto found = std::ranges::find(settings, name, &Setting::name);
    return found != settings.end() ? &*found : nullptr;
}

}  // namespace

void compare_settings(const std::vector<Setting>& running, const std::vector<Setting>& offered,
                      const std::string& prefix, std::vector<SignatureDifference>& differences) {
    for (const Setting& setting : running) {
        if (const Setting* other = find_named(offered, setting.name)) {
            SettingComparison(setting, *other, prefix + setting.name, differences).all();
        } else {
            differences.push_back(
                {fmt::format("setting '{}{}' has vanished", prefix, setting.name)});
        }
    }
    for (const Setting& setting : offered) {
        if (find_named(running, setting.name) == nullptr) {
            differences.push_back(new_setting(setting, prefix + setting.name));
        }
    }
}

}  // namespace ptp::pipeline
