// The rules on what a component is created with: its own defaults, the limits of its settings, and
// one instance after and beside another.

#include "base/diagnostics.hpp"
#include "base/error.hpp"
#include "base/explanation.hpp"
#include "base/toml_reader.hpp"
#include "base/toml_writer.hpp"
#include "engine/component/component_error.hpp"
#include "pipeline/settings.hpp"
#include "schema/range.hpp"
#include "solo/attempt.hpp"
#include "solo/rule.hpp"

#include <fmt/core.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <exception>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ptp::solo {

namespace {

using plugin::Setting;
using plugin::SettingType;
using schema::Range;

constexpr double kMaxInteger = 9007199254740992.0;  // 2^53: reals above it are not exact
constexpr std::int64_t kMaxItems = 64;

// Returns the least and the greatest number of an interval, as far as it has them.
std::vector<Value> integers_at(const std::string& interval) {
    std::vector<Value> values;
    const std::optional<Range> range = Range::parse(interval);
    const auto add = [&](double number, int inward) {
        if (std::abs(number) <= kMaxInteger) {
            values.emplace_back(static_cast<std::int64_t>(number) +
                                (range->contains(number) ? 0 : inward));
        }
    };
    if (range) {
        add(std::ceil(range->low()), 1);
        add(std::floor(range->high()), -1);
    }
    return values;
}

std::vector<Value> reals_at(const std::string& interval) {
    std::vector<Value> values;
    const std::optional<Range> range = Range::parse(interval);
    const auto add = [&](double number, double inward) {
        if (std::isfinite(number)) {
            values.emplace_back(range->contains(number) ? number : std::nextafter(number, inward));
        }
    };
    if (range) {
        add(range->low(), range->high());
        add(range->high(), range->low());
    }
    return values;
}

// Returns the minimum and maximum, both booleans, or each choice, of the setting without its lists.
std::vector<Value> limits_of_one(const Setting& setting) {
    switch (setting.type) {
        case SettingType::kBoolean:
            return {false, true};
        case SettingType::kInteger:
            return integers_at(setting.range);
        case SettingType::kReal:
            return reals_at(setting.range);
        case SettingType::kEnumeration:
            return {setting.choices.begin(), setting.choices.end()};
        default:
            return {};
    }
}

// Returns the current table, or the first of a list; without one the default one, or one with its
// required members, made up.
Value table_of(const plugin::Component& component, const Setting& setting, const Value* now) {
    const auto usual =
        setting.default_value ? read_toml_value(*setting.default_value) : std::nullopt;
    for (const Value* table : {now, usual ? &*usual : nullptr}) {
        if (table != nullptr && table->is_list() && !table->items().empty()) {
            table = &table->items().front();
        }
        if (table != nullptr && table->is_table()) {
            return *table;
        }
    }
    return made_up_members(component, setting);
}

struct LimitValue {
    std::string path;  // below the component: "width", "border.width", "layers[0].size"
    Value shown;       // the value of `path`
    Value value;       // the setting's; a whole table for a member
};

// Returns lists of `item` with the least and the greatest length that the setting may have.
std::vector<Value> lists_at_limits(const Setting& setting, const Value& item) {
    std::vector<Value> lists;
    for (const Value& length : integers_at(setting.length)) {
        const std::int64_t count = length.as_integer();
        if (count >= 0 && count <= kMaxItems) {
            lists.push_back(Value::list(std::vector<Value>(static_cast<std::size_t>(count), item)));
        }
    }
    return lists;
}

// Returns the values at the limits of a setting: of a number, a choice, and a list of the least and
// the greatest length. Of a table, each member is changed in turn, in the table that the component
// runs with `now`. Paths and unlimited settings have none.
std::vector<LimitValue> limits_of(const plugin::Component& component, const Setting& setting,
                                  const Value* now) {
    std::vector<LimitValue> all;
    if (setting.list_depth > 1) {
        return all;
    }
    const bool is_list = setting.list_depth == 1;
    const auto in_list = [&](const Value& item) { return is_list ? Value::list({item}) : item; };
    std::vector<Value> items = limits_of_one(setting);
    for (const Value& item : items) {
        all.push_back({setting.name, in_list(item), in_list(item)});
    }
    if (setting.type == SettingType::kTable) {
        items = {table_of(component, setting, now)};
        for (const Setting& member : setting.members) {
            for (LimitValue& limit :
                 limits_of(component, member, items.front().find(member.name))) {
                Value changed = items.front();
                changed.set(member.name, std::move(limit.value));
                all.push_back({setting.name + (is_list ? "[0]." : ".") + limit.path,
                               std::move(limit.shown), in_list(changed)});
            }
        }
    }
    if (is_list && !items.empty()) {
        for (const Value& list : lists_at_limits(setting, items.front())) {
            all.push_back({setting.name, list, list});
        }
    }
    return all;
}

using Trial = std::unique_ptr<LoneTrial>;

// An empty list or text often represents a missing setting.
bool is_empty(const Value& value) {
    return (value.is_list() && value.items().empty()) ||
           (value.is_string() && value.as_string().empty());
}

// Returns settings with a default that had to be changed for it to run: "width = 4"; "" if there
// are none.
std::string changed_defaults(const RuleContext& context) {
    std::string text;
    for (const plugin::Setting& setting : context.candidate.component.settings) {
        const Value* const value = context.attempt.pipeline->settings.find(setting.name);
        if (value == nullptr || !setting.default_value) {
            continue;
        }
        const std::optional<Value> usual = read_toml_value(*setting.default_value);
        if (usual && !is_empty(*usual) && *usual != *value) {
            text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", setting.name,
                                short_text(*value));
        }
    }
    return text;
}

// The memory limit; further allocations fail, as on a machine without more memory.
constexpr std::uint64_t kMemory = std::uint64_t{1} << 30;

// The greatest numbers may require more memory than there is.
void limit_memory() {
    std::uint64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const std::uint64_t now = pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    const rlimit limit{now + kMemory, now + kMemory};
    ::setrlimit(RLIMIT_AS, &limit);
}

bool is_permitted(const Setting& setting, const Value& value) {
    Diagnostics problems;
    static_cast<void>(pipeline::check_setting_value(setting, value, setting.name, "/", problems));
    return problems.ok();
}

// Returns how the component violates the contract with this value; "" if it runs or refuses it.
std::string problem_at(const RuleContext& context, const std::string& setting, const Value& value) {
    LoneEntry changed = context.candidate;
    changed.entry.settings = context.attempt.pipeline->settings;
    changed.entry.settings.set(setting, value);
    try {
        const MadeUpPipeline pipeline(changed, context.attempt.pipeline->guess);
        LoneTrial trial(pipeline, context.info,
                        {context.folder / setting, context.attempt.reals, context.seed});
        trial.live();
    } catch (const RunError& error) {
        // An internal error is unexpected, and not a refusal.
        const bool is_refusal = error.code() == kConfigurationError || error.code() == kDataError;
        const std::string reason = explanation_of(error).reason;
        return is_refusal || engine::is_about_memory(reason) ? "" : reason;
    } catch (const std::exception&) {  // the plan refuses it
        return "";
    }
    return "";
}

RuleResult check_created_twice(const RuleContext& context) {
    context.step("the first instance");
    context.new_trial("first")->live();
    try {
        context.step("an instance after the first was destroyed");
        Trial second = context.new_trial("second");
        second->live();
        context.step("an instance beside another one");
        const Trial third = context.new_trial("third");
        third->live();
        context.step("an instance after the one beside it was destroyed");
        second.reset();
        third->live();
    } catch (const RunError& error) {
        return rule_failed(
            fmt::format("{} fails: {}", context.last_step.get(), explanation_of(error).reason));
    }
    return {};
}

RuleResult check_defaults(const RuleContext& context) {
    const std::string changed = changed_defaults(context);
    if (!context.attempt.refuses_defaults || changed.empty()) {
        return {};
    }
    return rule_failed(fmt::format("refuses its own defaults: {}; it runs with {}",
                                   context.attempt.reason, changed));
}

RuleResult check_setting_limits(const RuleContext& context) {
    limit_memory();
    bool is_tried = false;
    for (const Setting& setting : context.candidate.component.settings) {
        if (context.candidate.entry.settings.find(setting.name) != nullptr) {
            continue;  // the author has given it
        }
        for (const LimitValue& limit :
             limits_of(context.candidate.component, setting,
                       context.attempt.pipeline->settings.find(setting.name))) {
            if (!is_permitted(setting, limit.value)) {
                continue;
            }
            is_tried = true;
            const std::string what = fmt::format("{} = {}", limit.path, short_text(limit.shown));
            context.step(what);
            const std::string problem = problem_at(context, setting.name, limit.value);
            if (!problem.empty()) {
                return rule_failed(fmt::format("with {}: {}", what, problem));
            }
        }
    }
    return is_tried ? RuleResult{} : rule_skipped();
}

}  // namespace

std::vector<ComponentRule> rules_on_settings() {
    const auto has_settings = [](const plugin::Component& component) {
        return !component.settings.empty();
    };
    return {{RuleId::kCreatedTwice, check_created_twice},
            {RuleId::kDefaults, check_defaults},
            {RuleId::kSettingLimits, check_setting_limits, has_settings}};
}

}  // namespace ptp::solo
