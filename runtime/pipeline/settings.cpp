// Checks the settings in a component's table, and explains unknown ones.

#include "pipeline/settings.hpp"

#include "base/suggest.hpp"
#include "base/text.hpp"
#include "base/toml_writer.hpp"
#include "experiment/familiar_names.hpp"
#include "pipeline/plan.hpp"
#include "plugin/setting_key.hpp"
#include "schema/check_value.hpp"
#include "schema/key_path.hpp"

#include <ptp/reserved_names.h>

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>

namespace ptp::pipeline {

namespace {

// The keys with a meaning of their own in a component's table, as far as they could take the value.
std::vector<std::string> reserved_for(const Value& value, bool is_task) {
    std::vector<std::string> names;
    for (const std::string_view name : {PTP_RESERVED_NAMES}) {
        const bool is_table = has_word("streams globals statistics", name);
        const bool exists = is_table || name == "type" || (name == "batch_size") == is_task;
        const bool fits = is_table                       ? value.is_table()
                          : has_word("type share", name) ? value.is_string()
                          : has_word("batch_size priority", name)
                              ? value.is_number()
                              : !has_word("enabled skip_if_missing", name) || value.is_bool();
        if (exists && fits) {
            names.emplace_back(name);
        }
    }
    return names;
}

// The setting that another framework calls so.
std::string renamed_setting(const Member& unknown, const std::vector<schema::Key>& keys) {
    for (const std::string& name : experiment::familiar_settings(unknown.key)) {
        const schema::Key* const key = find_named(keys, name);
        if (key == nullptr) {
            continue;
        }
        return schema::accepts(*key, unknown.value)
                   ? fmt::format("; did you mean '{}'?", name)
                   : fmt::format("; here it is '{}', which must be {}", name, expected_text(*key));
    }
    return "";
}

// A global, a stream or a statistic of the component that is written as if it were a setting.
std::optional<Explanation> misplaced(const Member& unknown, const plugin::Component& component) {
    const auto explained = [&](const char* what, const char* table) {
        return Explanation{fmt::format("is a {}, not a setting", what),
                           fmt::format("write {} = {{ {} = {} }}", table, toml_key(unknown.key),
                                       inline_toml(unknown.value))};
    };
    if (const auto* const global = find_named(component.globals, unknown.key)) {
        const bool takes_it =
            unknown.value.is_string() || (!global->is_written() && !unknown.value.is_table());
        return takes_it
                   ? explained("global", "globals")
                   : Explanation{"is a global, which the component publishes; it cannot be set"};
    }
    if (unknown.value.is_string() && find_named(component.ports, unknown.key) != nullptr) {
        return explained("port, whose stream has a name", "streams");
    }
    if (unknown.value.is_string() && find_named(component.statistics, unknown.key) != nullptr) {
        return explained("statistic", "statistics");
    }
    return std::nullopt;
}

// A key of another table that stands among the settings, such as `shuffle` in a task.
std::optional<Explanation> of_other_table(const schema::UnknownKey& unknown) {
    const auto meant = experiment::familiar_key_in(unknown);
    if (!meant || meant->keys.size() != 1 ||
        (!experiment::familiar_key(unknown.member.key) &&
         !meant->keys.front().starts_with("training.") &&
         !meant->keys.front().starts_with("validation."))) {
        return std::nullopt;
    }
    const std::string& key = meant->keys.front();
    if (!meant->expected.empty()) {
        return Explanation{
            fmt::format("unknown setting; there is '{}', which must be {}", key, meant->expected)};
    }
    const std::string value =
        meant->value.empty() ? inline_toml(unknown.member.value) : meant->value;
    return Explanation{fmt::format("unknown setting; did you mean '{}'?", key),
                       meant->fix.empty() ? schema::fix_of_key(unknown, key, value) : meant->fix};
}

Explanation unknown_setting(const Member& unknown, const std::vector<schema::Key>& keys,
                            const SettingsSource& source) {
    if (source.component != nullptr) {
        if (auto explanation = misplaced(unknown, *source.component)) {
            return std::move(*explanation);
        }
    }
    constexpr const char* kUnknown = "unknown setting";
    if (const std::string renamed = renamed_setting(unknown, keys); !renamed.empty()) {
        return {kUnknown + renamed};
    }
    const bool is_model =
        source.component != nullptr && source.component->kind == plugin::Kind::kModel;
    if (auto freezing = is_model ? experiment::familiar_freezing(unknown) : std::nullopt) {
        return std::move(*freezing);
    }
    const std::string hint = schema::hint_for(unknown, keys);
    const bool is_task = !source.path.starts_with("pipeline.");
    const std::vector<std::string> reserved = reserved_for(unknown.value, is_task);
    if (const auto meant = nearest(unknown.key, reserved); meant && !hint.starts_with("; did")) {
        return {fmt::format("{}; did you mean '{}'?", kUnknown, *meant)};
    }
    if (auto other = hint.starts_with("; did")
                         ? std::nullopt
                         : of_other_table({unknown, source.path, source.document,
                                           &experiment::kFamiliarNames})) {
        return std::move(*other);
    }
    return {kUnknown + (keys.empty() ? "; it has no settings" : hint)};
}

// The setting that is given samples without targets, if one is.
const plugin::Setting* given_unlabeled(const std::vector<plugin::Setting>& declared,
                                       const Value& table) {
    const auto found = std::ranges::find_if(declared, [&](const plugin::Setting& setting) {
        return setting.takes_unlabeled && table.find(setting.name) != nullptr;
    });
    return found == declared.end() ? nullptr : &*found;
}

}  // namespace

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
    std::vector<schema::Key> keys;
    keys.reserve(declared.size());
    for (const plugin::Setting& setting : declared) {
        keys.push_back(plugin::key_of(setting));
    }
    return keys;
}

std::vector<std::optional<Value>> check_settings(const std::vector<plugin::Setting>& declared,
                                                 const std::vector<schema::Key>& keys,
                                                 const SettingsSource& source,
                                                 Diagnostics& problems) {
    for (const Member& member : source.table.members()) {
        if (find_named(declared, member.key) != nullptr) {
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
        const schema::CheckContext context{source.home, problems, &experiment::kFamiliarNames};
        values.push_back(given != nullptr ? schema::check_value(keys[i], *given, key, context)
                         : is_needed ? schema::check_absent(keys[i], source.place, key, context)
                                     : std::nullopt);
    }
    return values;
}

}  // namespace ptp::pipeline
