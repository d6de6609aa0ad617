// Explains settings that a component does not have, by what is known of other ones.

#include "pipeline/unknown_setting.hpp"

#include "base/suggest.hpp"
#include "base/text.hpp"
#include "base/toml_reader.hpp"
#include "base/toml_writer.hpp"
#include "experiment/familiar_names.hpp"
#include "pipeline/draft.hpp"
#include "pipeline/layers.hpp"
#include "pipeline/plan.hpp"
#include "plugin/purpose.hpp"
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

// Returns what is written in the component's table, reserved keys included; nullptr if nothing is.
const Value* written_at(const SettingsSource& source, const std::string& key) {
    return source.document == nullptr ? nullptr
                                      : source.document->find_path(source.path + "." + key);
}

// Returns the fix with which a key of the component has a value that is written as an unknown one.
std::string fix_within(const Member& unknown, const std::string& key, const Value& value,
                       const SettingsSource& source) {
    return schema::fix_of_key({unknown, source.path, source.document, &experiment::kFamiliarNames},
                              source.path + "." + key, inline_toml(value));
}

// Returns whether the value is a formula for this setting of a layer.
bool may_be_formula(const std::string& name, const Value& value, const SettingsSource& source) {
    const auto* const setting =
        source.component == nullptr ? nullptr : find_named(source.component->settings, name);
    return source.path.ends_with(']') && value.is_string() && setting != nullptr &&
           takes_formula(*setting);
}

// A setting, or a list of one or of two sides, for a value; nullopt if the setting takes none.
std::optional<Value> taken_by(const schema::Key& key, const Value& value) {
    const Value list = Value::list({value});
    const Value sides = Value::list({value, value});
    return schema::accepts(key, value)                        ? std::optional(value)
           : schema::accepts(key, list)                       ? std::optional(list)
           : value.is_number() && schema::accepts(key, sides) ? std::optional(sides)
                                                              : std::nullopt;
}

// Returns what to write for a value of another program; "" if the setting does not take that.
std::string meant_text(const schema::Key& key, const std::string& path, const Member& given) {
    const std::string text = experiment::familiar_setting(path, given);
    const auto meant = read_toml_value(text);
    return key.form == schema::Form::kTable || (meant && schema::accepts(key, *meant)) ? text : "";
}

// A setting that does not take the value, with the one that is probably meant.
Explanation refused_value(const Member& unknown, const schema::Key& key, const char* is,
                          const SettingsSource& source) {
    auto meant = schema::meant_value(key, unknown.value);
    const Value both = Value::list({unknown.value, unknown.value});  // height and width
    if (!meant && unknown.value.is_integer() && schema::accepts(key, both)) {
        meant = both;
    }
    if (!meant) {
        meant = read_toml_value(meant_text(key, schema::below(source.path, key.name), unknown));
    }
    return {
        fmt::format("unknown setting; {} '{}', which must be {}", is, key.name, expected_text(key)),
        meant ? fix_within(unknown, key.name, *meant, source) : ""};
}

// Returns the fix by which the training's rows are divided, with a [validation] that has the others
// where there is none: nothing would be judged by them otherwise.
std::string with_validation(const std::string& fix, const schema::Key& key, const std::string& form,
                            const Member& unknown, const SettingsSource& source) {
    const Value* const task =
        written_at(source, "type") == nullptr ? nullptr : source.document->find_path(source.path);
    const auto division = read_toml_value(form);
    if (source.path != "training.task" || task == nullptr || !division ||
        key.form != schema::Form::kTable || !unknown.value.is_real() ||
        source.document->find("validation") != nullptr) {
        return fix;
    }
    if (unknown.key_place.file() != kCommandLine) {
        return fix + " here, and in a table [validation.task] with the same task";
    }
    Value other = *task;
    other.erase(unknown.key);
    other.set(key.name, *division);
    return fix + " " +
           schema::typed_value(unknown.key_place, "validation.task", inline_toml(other));
}

// The setting or the global that another framework calls so.
std::optional<Explanation> renamed_setting(const Member& unknown,
                                           const std::vector<schema::Key>& keys,
                                           const SettingsSource& source) {
    std::vector<std::string> meant;
    std::vector<std::string> fixes;
    Explanation refused;
    std::vector<std::string> names = experiment::familiar_settings(unknown.key);
    if (const std::string column = column_compared(source); contains(names, column)) {
        names = {column};
    }
    for (const std::string& name : names) {
        const schema::Key* const key = find_named(keys, name);
        const plugin::Global* const global =
            source.component == nullptr ? nullptr : find_named(source.component->globals, name);
        const auto value = key == nullptr ? std::nullopt
                           : may_be_formula(name, unknown.value, source)
                               ? std::optional(unknown.value)
                               : taken_by(*key, unknown.value);
        if (value) {
            meant.push_back(fmt::format("'{}'", name));
            fixes.push_back(fix_within(unknown, name, *value, source));
        } else if (const std::string form =
                       key == nullptr ? ""
                                      : meant_text(*key, schema::below(source.path, name), unknown);
                   !form.empty()) {
            meant.push_back(fmt::format("'{}'", name));
            fixes.push_back(with_validation(
                schema::fix_of_key(
                    {unknown, source.path, source.document, &experiment::kFamiliarNames},
                    schema::below(source.path, name), form),
                *key, form, unknown, source));
        } else if (key != nullptr) {
            refused = refused_value(unknown, *key, "here it is", source);
        } else if (global != nullptr && !global->is_written() && unknown.value.is_integer()) {
            return Explanation{fmt::format("unknown setting; did you mean the global '{}'?", name),
                               fix_within(unknown, "globals." + name, unknown.value, source)};
        }
    }
    if (meant.empty()) {
        return refused.reason.empty() ? std::nullopt : std::optional(refused);
    }
    std::string fix = fixes.front();
    for (std::size_t i = 1; i < fixes.size() && fixes[i].starts_with("write "); ++i) {
        fix += ", or " + fixes[i].substr(std::string_view("write ").size());
    }
    return Explanation{fmt::format("unknown setting; did you mean {}?", joined(meant, "or")), fix};
}

// The setting with which the component has a stream, for the stream's name: `text` for `texts`.
std::optional<Explanation> setting_of_stream(const Member& unknown,
                                             const std::vector<schema::Key>& keys,
                                             const SettingsSource& source) {
    for (const plugin::Port& port : source.component->ports) {
        if (port.name != unknown.key) {
            continue;
        }
        for (const Term& term : parse_condition(port.when).terms) {
            const std::string column =
                port.purpose == plugin::Purpose::kTargets ? column_compared(source) : "";
            const schema::Key* const key =
                term.is_negated || !term.values.empty()
                    ? nullptr
                    : find_named(keys, column.empty() ? term.setting : column);
            const auto value = key == nullptr || written_at(source, key->name) != nullptr
                                   ? std::nullopt
                                   : taken_by(*key, unknown.value);
            if (value) {
                return Explanation{
                    fmt::format("is the name of a stream, not a setting; did you mean '{}'?",
                                key->name),
                    fix_within(unknown, key->name, *value, source)};
            }
        }
    }
    return std::nullopt;
}

// A global, a stream or a statistic of the component that is written as if it were a setting.
std::optional<Explanation> misplaced(const Member& unknown, const std::vector<schema::Key>& keys,
                                     const SettingsSource& source) {
    const plugin::Component& component = *source.component;
    const auto explained = [&](const char* what, const std::string& table) {
        std::string fix =
            written_at(source, table) != nullptr
                ? fix_within(unknown, table + "." + unknown.key, unknown.value, source)
                : fmt::format("write {} = {{ {} = {} }}", table, toml_key(unknown.key),
                              inline_toml(unknown.value));
        return Explanation{fmt::format("is a {}, not a setting", what), std::move(fix)};
    };
    if (const auto* const global = find_named(component.globals, unknown.key)) {
        const bool takes_it =
            unknown.value.is_string() || (!global->is_written() && !unknown.value.is_table());
        return takes_it
                   ? explained("global", "globals")
                   : Explanation{"is a global, which the component publishes; it cannot be set"};
    }
    if (auto meant = setting_of_stream(unknown, keys, source)) {
        return meant;
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
        return Explanation{fmt::format("unknown setting; here it is '{}', which must be {}", key,
                                       meant->expected)};
    }
    const std::string value =
        meant->value.empty() ? inline_toml(unknown.member.value) : meant->value;
    return Explanation{fmt::format("unknown setting; did you mean '{}'?", key),
                       meant->fix.empty() ? schema::fix_of_key(unknown, key, value) : meant->fix};
}

// Returns whether the component takes all that the table has, the unknown key included: a task that
// reads columns, which the table names, or a loss or statistic of the same ports.
bool takes_table(const plugin::Component& other, const Member& unknown,
                 const SettingsSource& source) {
    const plugin::Component& own = *source.component;
    const auto takes = [&](const Member& member) {
        const plugin::Setting* const setting = find_named(other.settings, member.key);
        return setting != nullptr && schema::accepts(plugin::key_of(*setting), member.value);
    };
    const auto reads_columns = [](const plugin::Component& task) {
        return plugin::find_purpose(task.settings, plugin::Purpose::kValueColumns) != nullptr;
    };
    if (other.kind != own.kind || &other == &own || !takes(unknown)) {
        return false;
    }
    if (own.kind == plugin::Kind::kTask) {
        return reads_columns(own) && reads_columns(other) &&
               std::ranges::all_of(source.table.members(), takes);
    }
    const auto has_port = [&](const plugin::Port& port) {
        return std::ranges::any_of(other.ports, [&](const plugin::Port& its) {
            return its.name == port.name && its.shape == port.shape;
        });
    };
    return (own.kind == plugin::Kind::kLoss || own.kind == plugin::Kind::kStatistic) &&
           std::ranges::all_of(own.ports, has_port);
}

// Another component that has the setting, and can be in this one's place.
std::optional<Explanation> of_other_component(const Member& unknown, const SettingsSource& source) {
    if (source.component == nullptr || source.catalog == nullptr) {
        return std::nullopt;
    }
    for (const plugin::Component* other : components_of(*source.catalog)) {
        if (takes_table(*other, unknown, source)) {
            const bool is_task = other->kind == plugin::Kind::kTask;
            return Explanation{fmt::format("unknown setting of {}; {} has it",
                                           source.component->name, other->name),
                               schema::typed_value(unknown.key_place, source.path + ".type",
                                                   '"' + other->name + '"') +
                                   (is_task ? " in the task of each section" : "")};
        }
    }
    return std::nullopt;
}

// A setting of another type, which was the table's until an option of the command line replaced it.
// A file with another type replaces the whole table.
std::optional<Explanation> of_former_type(const Member& unknown, const SettingsSource& source) {
    const Value* const type = written_at(source, "type");
    if (source.component == nullptr || source.catalog == nullptr || type == nullptr ||
        type->place().file() != kCommandLine || unknown.key_place.file() == kCommandLine) {
        return std::nullopt;
    }
    const auto has_it = [&](const plugin::Component* other) {
        return other->kind == source.component->kind &&
               find_named(other->settings, unknown.key) != nullptr;
    };
    if (std::ranges::none_of(components_of(*source.catalog), has_it)) {
        return std::nullopt;
    }
    return Explanation{fmt::format("unknown setting of {}; it is of the type that {} replaces",
                                   source.component->name, type->place().text()),
                       fmt::format("remove {} = {} at {}", toml_key(unknown.key),
                                   short_text(unknown.value), unknown.key_place.text())};
}

}  // namespace

std::optional<Explanation> of_other_key(const Member& given, const SettingsSource& source) {
    const auto meant = experiment::familiar_key_for_value(given);
    if (!meant) {
        return std::nullopt;
    }
    const schema::UnknownKey here{given, source.path, source.document, &experiment::kFamiliarNames};
    const std::string& key = meant->keys.front();
    const std::string fix = schema::fix_of_key(here, key, meant->value);
    return Explanation{
        fmt::format("{} is no value here; there is '{}'", inline_toml(given.value), key),
        fix.starts_with("remove it") ? fix : "leave it out, and " + fix};
}

Explanation unknown_setting(const Member& unknown, const std::vector<schema::Key>& keys,
                            const SettingsSource& source) {
    if (source.component != nullptr) {
        if (auto explanation = misplaced(unknown, keys, source)) {
            return std::move(*explanation);
        }
    }
    constexpr const char* kUnknown = "unknown setting";
    if (auto other = of_other_key(unknown, source)) {
        return std::move(*other);
    }
    if (auto renamed = renamed_setting(unknown, keys, source)) {
        return std::move(*renamed);
    }
    const bool is_model =
        source.component != nullptr && source.component->kind == plugin::Kind::kModel;
    if (auto freezing = is_model ? experiment::familiar_freezing(unknown) : std::nullopt) {
        return std::move(*freezing);
    }
    if (auto weights = is_model ? of_weights(unknown, source) : std::nullopt) {
        return std::move(*weights);
    }
    if (auto activation = is_model || source.path.ends_with(']') ? of_activation(unknown, source)
                                                                 : std::nullopt) {
        return std::move(*activation);
    }
    if (auto habit = of_habit(unknown, source)) {
        return std::move(*habit);
    }
    const std::string hint = schema::hint_for(unknown, keys);
    const bool is_near = hint.starts_with("; did");
    if (auto former = is_near ? std::nullopt : of_former_type(unknown, source)) {
        return std::move(*former);
    }
    const bool is_task = !source.path.starts_with("pipeline.");
    const std::vector<std::string> reserved = reserved_for(unknown.value, is_task);
    if (const auto meant = nearest(unknown.key, reserved); meant && !is_near) {
        return {fmt::format("{}; did you mean '{}'?", kUnknown, *meant)};
    }
    if (auto other = is_near ? std::nullopt
                             : of_other_table({unknown, source.path, source.document,
                                               &experiment::kFamiliarNames})) {
        return std::move(*other);
    }
    if (has_word(
            "in in_channels in_dim in_features in_size input_channels input_dim input_features "
            "input_shape input_size num_features",
            folded(unknown.key)) &&
        !is_task && (unknown.value.is_number() || unknown.value.is_list())) {
        return {fmt::format("{}: the size of the input is known", kUnknown), "leave it out"};
    }
    if (auto other = is_near ? std::nullopt : of_other_component(unknown, source)) {
        return std::move(*other);
    }
    const auto names = transformed(keys, [](const schema::Key& key) { return key.name; });
    if (const auto key = is_near ? std::nullopt : nearest(unknown.key, names)) {
        return refused_value(unknown, *find_named(keys, *key), "there is", source);
    }
    if (const std::string meaning = is_near ? "" : experiment::meaning_of_word(unknown.key);
        !meaning.empty()) {
        return {kUnknown, "leave it out; here it is " + meaning};
    }
    return {kUnknown + (keys.empty() ? "; it has no settings" : hint)};
}

}  // namespace ptp::pipeline
