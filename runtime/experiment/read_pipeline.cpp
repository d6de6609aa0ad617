#include "experiment/read_pipeline.hpp"

#include "base/suggest.hpp"
#include "base/text.hpp"
#include "experiment/load/merge.hpp"
#include "experiment/read_component.hpp"
#include "experiment/read_load.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <string_view>

namespace ptp::experiment {

namespace {

std::vector<std::string> read_phases(const Scope& scope, Raw phases) {
    std::vector<std::string> read;
    if (phases == nullptr) {
        return read;
    }
    if (!phases->is_list() || phases->items().empty()) {
        scope.problems.error(*phases, scope.key("phases"),
                             "must be a list of phases, such as [\"training\", \"validation\"]");
        return read;
    }
    const std::vector<std::string> known(kPhases.begin(), kPhases.end());
    for (std::size_t i = 0; i < phases->items().size(); ++i) {
        const Value& phase = phases->items()[i];
        const std::string key = fmt::format("{}[{}]", scope.key("phases"), i);
        if (!phase.is_string()) {
            scope.problems.error(phase, key,
                                 fmt::format("must be a string, not {}", type_name(phase.type())));
        } else if (std::ranges::find(known, phase.as_string()) == known.end()) {
            scope.problems.error(phase, key, "unknown phase" + hint(phase.as_string(), known));
        } else {
            read.push_back(phase.as_string());
        }
    }
    return read;
}

// The names of what is frozen.
std::vector<std::string> read_layers(const Scope& scope, const Value& freeze) {
    std::vector<std::string> names;
    const auto is_name = [](const Value& item) {
        return item.is_string() && !item.as_string().empty();
    };
    if (!freeze.is_list() || freeze.items().empty() ||
        !std::ranges::all_of(freeze.items(), is_name)) {
        scope.problems.error(freeze, scope.key("freeze"),
                             "must be true, false or a list of names of parameters or layers, such "
                             "as [\"layers.0\", \"*.bias\"]");
        return names;
    }
    for (const Value& item : freeze.items()) {
        names.push_back(item.as_string());
    }
    return names;
}

ComponentEntry read_component(const Scope& scope, const std::string& name) {
    ComponentEntry entry;
    entry.name = name;
    entry.place = scope.table.place();
    entry.path = scope.path;
    CommonKeys common;
    Raw load = nullptr;
    Raw phases = nullptr;
    Raw freeze = nullptr;
    const Value* given = scope.table.find("freeze");
    const bool names_layers = given != nullptr && !given->is_bool();
    std::vector<Field> fields = common.fields();
    fields.insert(
        fields.end(),
        {{.name = "priority", .into = &entry.priority, .range = "(-inf, inf)"},
         {.name = "load", .into = &load},
         {.name = "freeze", .into = names_layers ? Target(&freeze) : Target(&entry.is_frozen)},
         {.name = "enabled", .into = &entry.is_enabled},
         {.name = "phases", .into = &phases},
         {.name = "skip_if_missing", .into = &entry.skip_if_missing}});
    const auto others = read_fields(scope, fields);
    entry.type = common.type(scope);
    entry.type_place = common.type_place();
    entry.names = common.names(scope);
    entry.settings = settings_of(scope, others, "a component");
    if (const Value* priority = scope.table.find("priority")) {
        entry.priority_place = priority->place();
    }
    if (given != nullptr) {
        entry.freeze_place = given->place();
    }
    if (freeze != nullptr) {
        entry.frozen_layers = read_layers(scope, *freeze);
    }
    entry.load = read_load(scope, load, name);
    entry.phases = read_phases(scope, phases);
    return entry;
}

// A table without a type is often another one's, with a slip in its name.
void check_name(const Scope& scope, const std::vector<const Member*>& members,
                const Member& component) {
    if (component.value.find("type") != nullptr) {
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

void read_components(const Scope& scope, const std::vector<const Member*>& members,
                     Pipeline& pipeline) {
    for (const Member* member : members) {
        const std::string key = scope.key(member->key);
        if (!member->value.is_table()) {
            const std::vector<std::string> known = {"name", "disable", "load", "freeze"};
            const auto meant = nearest(member->key, known);
            scope.problems.error(member->value, key,
                                 meant ? fmt::format("unknown key; did you mean '{}'?", *meant)
                                       : fmt::format("a component must be a table, not {}",
                                                     type_name(member->value.type())));
        } else if (!is_snake_case(member->key)) {
            scope.problems.error(member->key_place, key,
                                 "the name of a component must be in snake_case, as image_encoder");
        } else {
            check_name(scope, members, *member);
            pipeline.components.push_back(
                read_component(scope.at(member->value, member->key), member->key));
        }
    }
}

void disable(const Scope& scope, const Value& list, Pipeline& pipeline) {
    if (!list.is_list() || !std::ranges::all_of(list.items(), &Value::is_string)) {
        scope.problems.error(list, scope.key("disable"), "must be a list of names of components");
        return;
    }
    std::vector<std::string> known;
    for (const ComponentEntry& component : pipeline.components) {
        known.push_back(component.name);
    }
    for (std::size_t i = 0; i < list.items().size(); ++i) {
        const std::string& name = list.items()[i].as_string();
        const auto found = std::ranges::find(pipeline.components, name, &ComponentEntry::name);
        if (found != pipeline.components.end()) {
            found->is_enabled = false;
        } else {
            scope.problems.error(list.items()[i], fmt::format("{}[{}]", scope.key("disable"), i),
                                 "unknown component" + hint(name, known));
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

void read_pipeline(const Scope& scope, Pipeline& pipeline) {
    pipeline.place = scope.table.place();
    Raw disabled = nullptr;
    Raw load = nullptr;
    std::vector<const Member*> members =
        read_fields(scope, {{.name = "name", .into = &pipeline.name},
                            {.name = "disable", .into = &disabled},
                            {.name = "load", .into = &load},
                            {.name = "freeze", .into = &pipeline.is_frozen}});
    pipeline.load = read_load(scope, load, std::nullopt);
    read_components(scope, members, pipeline);
    if (disabled != nullptr) {
        disable(scope, *disabled, pipeline);
    }
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
