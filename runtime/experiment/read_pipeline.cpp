// Reads [pipeline] and its components.

#include "base/ranges.hpp"
#include "base/suggest.hpp"
#include "base/text.hpp"
#include "base/toml_writer.hpp"
#include "experiment/phase_keys.hpp"
#include "experiment/readers.hpp"
#include "schema/check_value.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <string_view>

namespace ptp::experiment {

namespace {

std::vector<Field> component_fields(CommonKeys& common, LoadKeys& load, RawTable& freeze,
                                    ComponentEntry& entry, bool is_shared) {
    std::vector<Field> fields = common.fields("the kind of component");
    fields.front().is_required = !is_shared;
    fields.insert(
        fields.end(),
        {
            {.name = "priority",
             .into = &entry.priority,
             .help = "orders components that the streams leave free; lower runs first"},
            {.name = "share",
             .into = &entry.share,
             .help = "in place of a type and settings: the component that it is, too; of a model "
                     "both are one set of weights",
             .is_filled = true},
            load.field(),
            {.name = "freeze",
             .into = &entry.is_frozen,
             .help =
                 "true trains nothing in it, and keeps it in evaluation; or names of parameters "
                 "and layers; or all except some; or until which epoch",
             .length = "[1, inf)",
             .is_filled = true,
             .expected = "true, false, a list of names of parameters or layers, such as "
                         "[\"layers.0\", \"*.bias\"], or a table with until_epoch or except",
             .or_into = {&entry.frozen_layers, &freeze}},
        });
    const std::vector<Field> phases = phase_fields(entry);
    fields.insert(fields.end(), phases.begin(), phases.end());
    return fields;
}

// Reads { until_epoch = 3, layers = ["layers.0"] } and { except = ["layers.4"] }.
void read_freeze(const Scope& table, ComponentEntry& entry) {
    entry.is_frozen = false;
    std::vector<std::string> trained;
    const Value* except = table.table.find("except");
    const std::size_t errors = table.problems.error_count();
    read_all_fields(table, {{.name = "until_epoch",
                             .into = &entry.frozen_until,
                             .help = "epochs of the training in which it is frozen; without it in "
                                     "all, beside `except`",
                             .range = "[1, inf)"},
                            {.name = "layers",
                             .into = &entry.frozen_layers,
                             .help = "names of parameters or layers; without them all of it is "
                                     "frozen, and in evaluation",
                             .length = "[1, inf)",
                             .is_filled = true},
                            {.name = "except",
                             .into = &trained,
                             .help = "in place of `layers`: those that are trained, and all others "
                                     "are frozen",
                             .length = "[1, inf)",
                             .is_filled = true}});
    if (table.problems.error_count() == errors && except == nullptr &&
        table.table.find("until_epoch") == nullptr) {
        table.problems.error(table.table, table.path, "must have until_epoch or except");
    } else if (except != nullptr && table.table.find("layers") != nullptr) {
        table.problems.error(*except, table.key("except"), "has no meaning beside layers");
    }
    entry.is_frozen = entry.frozen_layers.empty() && except == nullptr;
    entry.freezes_others = !trained.empty();
    if (entry.freezes_others) {
        entry.frozen_layers = std::move(trained);
    }
}

// The keys that a component with `share` takes from the shared one.
constexpr std::array<std::string_view, 4> kOfTheOther = {"type", "load", "freeze", "globals"};

// Rejects keys that a component with `share` takes from the shared one.
void check_shared_keys(const Scope& scope, const std::vector<const Member*>& settings) {
    const auto refuse = [&](const Member& member) {
        scope.problems.error(
            member.key_place, scope.key(member.key),
            "has no meaning beside share: it is written where the shared model is");
    };
    for (const Member& member : scope.table.members()) {
        if (contains(kOfTheOther, member.key)) {
            refuse(member);
        }
    }
    for (const Member* setting : settings) {
        refuse(*setting);
    }
}

ComponentEntry read_component(const Scope& scope, const std::string& name) {
    ComponentEntry entry;
    entry.name = name;
    entry.place = scope.table.place();
    entry.path = scope.path;
    CommonKeys common;
    LoadKeys load;
    RawTable freeze_table;
    const Value* share = scope.table.find("share");
    const auto others =
        read_fields(scope, component_fields(common, load, freeze_table, entry, share != nullptr));
    entry.type = common.type();
    entry.type_place = common.type_place(scope);
    entry.names = common.names();
    entry.settings = settings_of(scope, others, "a component");
    if (share != nullptr) {
        entry.share_place = share->place();
        check_shared_keys(scope, others);
    }
    if (const Value* priority = scope.table.find("priority")) {
        entry.priority_place = priority->place();
    }
    read_phase_places(scope, entry);
    if (const Value* freeze = scope.table.find("freeze")) {
        entry.freeze_place = freeze->place();
    }
    if (freeze_table.table != nullptr) {
        read_freeze(scope.at(*freeze_table.table, "freeze"), entry);
    }
    entry.load = load.read(scope, name);
    return entry;
}

// Checks for a table without a type, which often belongs to another component whose name it
// misspells.
void check_name(const Scope& scope, const std::vector<const Member*>& members,
                const Member& component) {
    if (component.value.find("type") != nullptr || component.value.find("share") != nullptr) {
        return;
    }
    std::vector<std::string> others;
    for (const Member* member : members) {
        if (member->value.is_table() && member->value.find("type") != nullptr) {
            others.push_back(member->key);
        }
    }
    if (const auto meant = nearest(component.key, others)) {
        scope.problems.error(
            component.value.place(), below(scope.key(component.key), "type"),
            fmt::format("required, but missing; or did you mean the component '{}'?", *meant));
    }
}

// Returns the table that a component is, for its type alone, or for a list with a table, as
// [[pipeline.net]] is; "" for other values.
std::string fix_of_component(const Member& member, const std::string& key) {
    const Value& value = member.value;
    if (value.is_string()) {
        return schema::typed_value(value.place(), key,
                                   fmt::format("{{ type = {} }}", inline_toml(value)));
    }
    if (!value.is_list() || value.items().size() != 1 || !value.items().front().is_table()) {
        return "";
    }
    const Value& table = value.items().front();
    const bool is_below =
        !table.members().empty() && table.members().front().key_place.line() > table.place().line();
    return is_below ? fmt::format("write [{0}] in place of [[{0}]]", key) : "";
}

void read_components(const Scope& scope, const std::vector<const Member*>& members,
                     Pipeline& pipeline) {
    pipeline.components.reserve(members.size());
    for (const Member* member : members) {
        const std::string key = scope.key(member->key);
        if (!member->value.is_table()) {
            const std::vector<std::string> known = {"name", "disable", "load", "freeze"};
            const auto meant = nearest(member->key, known);
            scope.problems.error(
                member->value, key,
                meant ? Explanation{fmt::format("unknown key; did you mean '{}'?", *meant)}
                      : Explanation{fmt::format("a component must be a table, not {}",
                                                type_name(member->value.type())),
                                    fix_of_component(*member, key)});
        } else if (!is_snake_case(member->key)) {
            scope.problems.error(member->key_place, key,
                                 "the name of a component must be in snake_case, as image_encoder");
        } else if (member->value.find("try") != nullptr) {
            pipeline.tries.push_back(read_try(scope.at(member->value, member->key), member->key));
        } else {
            check_name(scope, members, *member);
            pipeline.components.push_back(
                read_component(scope.at(member->value, member->key), member->key));
        }
    }
}

void disable(const Scope& scope, const std::vector<Placed<std::string>>& names,
             Pipeline& pipeline) {
    std::vector<std::string> known = transformed(pipeline.components, &ComponentEntry::name);
    std::ranges::copy(transformed(pipeline.tries, &TryEntry::name), std::back_inserter(known));
    for (std::size_t i = 0; i < names.size(); ++i) {
        const auto& [name, place] = names[i];
        const auto found = std::ranges::find(pipeline.components, name, &ComponentEntry::name);
        TryEntry* const tries = find_named(pipeline.tries, name);
        if (found != pipeline.components.end()) {
            found->is_enabled = false;
        } else if (tries != nullptr) {
            tries->is_enabled = false;
        } else {
            scope.problems.error(Value(name).at(place),
                                 fmt::format("{}[{}]", scope.key("disable"), i),
                                 "unknown component" + hint(name, known));
        }
    }
}

// Copies the settings of a shared component to those that share it.
void resolve_shares(const Scope& scope, Pipeline& pipeline) {
    std::vector<std::string> known;
    for (const ComponentEntry& component : pipeline.components) {
        if (component.share.empty()) {
            known.push_back(component.name);
        }
    }
    for (ComponentEntry& component : pipeline.components) {
        if (component.share.empty() || !component.is_enabled) {
            continue;
        }
        const auto refuse = [&](const std::string& message) {
            scope.problems.error(Value(component.share).at(component.share_place),
                                 component.path + ".share", message);
        };
        const auto other =
            std::ranges::find(pipeline.components, component.share, &ComponentEntry::name);
        if (other == pipeline.components.end()) {
            refuse("unknown component" + hint(component.share, known));
        } else if (!other->share.empty()) {
            refuse(fmt::format("'{}' shares another one itself; name the model that has the type",
                               component.share));
        } else if (!other->is_enabled) {
            refuse(fmt::format("'{}' is disabled", component.share));
        } else {
            component.type = other->type;
            component.type_place = component.share_place;
            component.settings = other->settings;
            component.names.globals = other->names.globals;
            component.is_frozen = other->is_frozen;
            component.freeze_place = other->freeze_place;
            component.frozen_until = other->frozen_until;
        }
    }
}

void check_priorities(const Pipeline& pipeline, Diagnostics& problems) {
    std::map<double, const ComponentEntry*> first;
    for (const ComponentEntry& component : pipeline.components) {
        if (!component.priority || !component.is_enabled) {
            continue;
        }
        const auto [other, is_new] = first.try_emplace(*component.priority, &component);
        if (is_new) {
            continue;
        }
        problems.error(Value(*component.priority).at(component.priority_place),
                       component.path + ".priority",
                       fmt::format("must be unique; {} at {} has it too", other->second->path,
                                   other->second->priority_place.text()));
    }
}

}  // namespace

bool is_own_beside_share(std::string_view key) {
    CommonKeys common;
    LoadKeys load;
    RawTable freeze;
    ComponentEntry entry;
    const std::vector<Field> fields = component_fields(common, load, freeze, entry, true);
    return key != "share" && !contains(kOfTheOther, key) &&
           std::ranges::any_of(fields, [&](const Field& field) { return field.name == key; });
}

void read_pipeline(const Scope& scope, Pipeline& pipeline) {
    pipeline.place = scope.table.place();
    std::vector<Placed<std::string>> disabled;
    LoadKeys load;
    std::vector<const Member*> members =
        read_fields(scope, {{.name = "name",
                             .into = &pipeline.name,
                             .help = "of the pipeline, for pictures; by default the experiment's"},
                            {.name = "disable",
                             .into = &disabled,
                             .help = "names of components to leave out",
                             .expected = "a list of names of components"},
                            load.field(),
                            {.name = "freeze",
                             .into = &pipeline.is_frozen,
                             .help = "trains none of its models but those with their own "
                                     "`freeze`"}});
    pipeline.load = load.read(scope, std::nullopt);
    read_components(scope, members, pipeline);
    disable(scope, disabled, pipeline);
    resolve_shares(scope, pipeline);
    resolve_tries(scope, pipeline);
    check_priorities(pipeline, scope.problems);
    if (members.empty()) {
        scope.problems.error(scope.table.place(), scope.path,
                             "has no components; each is a table [pipeline.<name>]");
    } else if (!pipeline.components.empty() &&
               std::ranges::none_of(pipeline.components, &ComponentEntry::is_enabled)) {
        scope.problems.error(scope.table.place(), scope.path, "all components are disabled");
    }
}

}  // namespace ptp::experiment
