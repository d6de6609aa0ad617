// Makes the draft of a component: its type is found, its settings are checked, and its streams,
// globals and statistics get the names that the experiment assigns to them.
#include "pipeline/draft.hpp"

#include "base/suggest.hpp"
#include "base/toml_writer.hpp"
#include "pipeline/declaration.hpp"
#include "pipeline/evaluate.hpp"
#include "pipeline/settings.hpp"
#include "plugin/enum_names.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

namespace ptp::pipeline {

namespace {

// The keys that tables of tasks and of components share.
struct Entry {
    const std::string& name;
    const std::string& path;
    SourceLocation place;
    const std::string& type;
    SourceLocation type_place;
    const experiment::Names& names;
    const Value& settings;
    const std::optional<Value>* interval = nullptr;  // (optional) of those that have no own one
};

// The keys of the component's settings; nullptr after reporting a mistake of the plugin, which is
// placed in the plugin's file.
const std::vector<schema::Key>* declared_keys(const plugin::Found& found,
                                              const DraftContext& context) {
    const auto known = context.sound.find(found.component);
    if (known != context.sound.end()) {
        return &known->second;
    }
    const std::vector<std::string> sentences = check_declaration(*found.component);
    const SourceLocation place(found.plugin->path.string(), 0, 0);
    for (const std::string& sentence : sentences) {
        context.problems.error(
            place, "",
            fmt::format("plugin '{}', component '{}': {}", found.plugin->manifest.name,
                        found.component->name, sentence));
    }
    if (!sentences.empty()) {
        return nullptr;
    }
    return &(context.sound[found.component] = keys_of(found.component->settings));
}

bool has_fixed_outputs(const Node& node) {
    return std::ranges::none_of(node.component->ports, [](const plugin::Port& port) {
        return port.direction == plugin::Direction::kOutput && depends_on_settings(port);
    });
}

std::optional<Draft> make_draft(const Entry& entry, bool is_task, const DraftContext& context) {
    if (entry.type.empty()) {
        return std::nullopt;  // reported already when the experiment was read
    }
    const TypeRequest request{entry.type, entry.type_place, entry.path, is_task};
    const auto found = find_type(context.catalog, request, context.problems);
    const std::vector<schema::Key>* keys = found ? declared_keys(*found, context) : nullptr;
    if (keys == nullptr) {
        return std::nullopt;
    }

    const std::size_t errors_before = context.problems.error_count();
    Draft draft;
    Node& node = draft.node;
    node.name = entry.name;
    node.path = entry.path;
    node.place = entry.place;
    node.plugin = found->plugin;
    node.component = found->component;
    Value settings = entry.settings;
    if (entry.interval != nullptr && *entry.interval && has_interval(*node.component) &&
        settings.find("interval") == nullptr) {
        settings.set("interval", **entry.interval);
    }
    const SettingsSource source{settings, entry.path, entry.place, context.home, found->component};
    node.settings = check_settings(found->component->settings, *keys, source, context.problems);
    const std::size_t errors_of_settings = context.problems.error_count();
    apply_names(draft, entry.names, checked_settings(node), context.problems);
    draft.is_sound = context.problems.error_count() == errors_before;
    const bool are_names_sound = context.problems.error_count() == errors_of_settings;
    draft.has_known_outputs = draft.is_sound || (are_names_sound && has_fixed_outputs(node));
    return draft;
}

// The shared instance publishes its globals once.
void share_instance(const experiment::ComponentEntry& entry, Node& node) {
    node.share = entry.share;
    for (std::size_t i = 0; i < node.component->globals.size(); ++i) {
        if (node.component->globals[i].is_written()) {
            node.has_global[i] = false;
            node.globals.erase(node.component->globals[i].name);
        }
    }
}

}  // namespace

bool depends_on_settings(const plugin::Port& port) {
    return !port.when.empty() || !port.streams_setting.empty();
}

bool has_interval(const plugin::Component& component) {
    return std::ranges::any_of(component.settings, [](const plugin::Setting& setting) {
        return setting.name == "interval" && setting.type == plugin::SettingType::kInteger &&
               setting.list_depth == 0;
    });
}

std::optional<Draft> draft_task(const experiment::Section& section, const DraftContext& context) {
    const experiment::TaskEntry& task = section.task;
    auto draft = make_draft({section.name, task.path, task.place, task.type, task.type_place,
                             task.names, task.settings},
                            true, context);
    if (!draft) {
        return std::nullopt;
    }
    draft->node.section = section.name;
    draft->indices = experiment::renamed(task.names.streams, "indices");
    return draft;
}

std::optional<Draft> draft_component(const experiment::ComponentEntry& entry,
                                     const experiment::Pipeline& pipeline,
                                     const DraftContext& context) {
    auto draft = make_draft({entry.name, entry.path, entry.place, entry.type, entry.type_place,
                             entry.names, entry.settings, &pipeline.interval},
                            false, context);
    if (!draft) {
        return std::nullopt;
    }
    draft->priority = entry.priority;
    draft->priority_place = entry.priority_place;
    draft->phases = entry.phases;
    draft->skip_if_missing = entry.skip_if_missing;
    const bool is_model = draft->node.component->kind == plugin::Kind::kModel;
    const bool says_so_itself = entry.is_frozen || entry.freeze_place != SourceLocation();
    draft->node.is_frozen = says_so_itself ? entry.is_frozen : pipeline.is_frozen && is_model;
    draft->node.frozen_layers = entry.frozen_layers;
    draft->node.freezes_others = entry.freezes_others;
    draft->node.freeze_place = entry.freeze_place;
    draft->node.frozen_until = entry.frozen_until;
    if (!entry.share.empty()) {
        share_instance(entry, draft->node);
    }
    if (!entry.share.empty() && !is_model) {
        context.problems.error(
            entry.share_place, entry.path + ".share",
            fmt::format("'{}' is a {} and has no weights to share: only models do", entry.share,
                        plugin::to_string(draft->node.component->kind)));
    }
    if ((entry.is_frozen || !entry.frozen_layers.empty()) && !is_model) {
        context.problems.error(entry.freeze_place, entry.path + ".freeze",
                               fmt::format("{} is a {} and has nothing to freeze: only models do",
                                           draft->node.component->name,
                                           plugin::to_string(draft->node.component->kind)));
    }
    return draft;
}

namespace {

using experiment::Renaming;

const Renaming* find_renaming(const std::vector<Renaming>& map, const std::string& name) {
    const auto found = std::ranges::find(map, name, &Renaming::from);
    return found == map.end() ? nullptr : &*found;
}

// The ports, globals and statistics of a component, and which exist with the given settings.
class Inventory {
public:
    // `when` must outlive it.
    void add(const std::string& name, bool exists, std::string_view when) {
        const auto found = std::ranges::find(entries_, name, &Entry::name);
        if (found == entries_.end()) {
            entries_.push_back({name, exists, when});
        } else if (exists) {
            found->exists = true;
        }
    }

    // Judges every name of `map`; `what` is "port", and `table` "streams", of the component.
    void judge(const std::vector<Renaming>& map, std::string_view what, std::string_view table,
               const Node& node, Diagnostics& problems) const {
        const std::string& type = node.component->name;
        for (const Renaming& renaming : map) {
            const auto found = std::ranges::find(entries_, renaming.from, &Entry::name);
            if (found != entries_.end() && found->exists) {
                continue;
            }
            const std::string path =
                fmt::format("{}.{}.{}", node.path, table, toml_key(renaming.from));
            if (found == entries_.end()) {
                const std::string none = fmt::format("{} has no {} of this name", type, what);
                problems.error(renaming.from_place, path, none + hint(renaming.from, names()));
                continue;
            }
            problems.warning(renaming.from_place, path,
                             fmt::format("has no effect: {} has this {} only {}", type, what,
                                         condition_text(parse_condition(found->when))));
        }
    }

private:
    struct Entry {
        std::string name;
        bool exists = false;
        std::string_view when;
    };

    [[nodiscard]] std::vector<std::string> names() const {
        std::vector<std::string> result;
        std::ranges::transform(entries_, std::back_inserter(result), &Entry::name);
        return result;
    }

    std::vector<Entry> entries_;
};

// The ports that a list setting names.
void add_renamed(const plugin::Port& port, const Binding& binding, const Value& streams,
                 std::vector<Binding>& bindings, std::vector<Wire>& wires) {
    for (std::size_t i = 0; i < streams.items().size(); ++i) {
        const Value& stream = streams.items()[i];
        Binding one = binding;
        one.name = fmt::format("{}[{}]", port.streams_setting, i);
        bindings.push_back(std::move(one));
        wires.push_back({stream.as_string(), stream.place(), true});
    }
}

// The stream of a port: of its own name, unless the experiment has another; "" without the port.
Wire wire_of(const plugin::Port& port, bool exists, const Renaming* renaming,
             const SourceLocation& place) {
    if (exists && renaming != nullptr) {
        return {renaming->to, renaming->to_place, true};
    }
    return {exists ? port.name : "", place, false};
}

void add_ports(Draft& draft, const std::vector<Renaming>& renamings, const Settings& settings,
               Inventory& inventory) {
    const auto& ports = draft.node.component->ports;
    const auto inputs = static_cast<std::size_t>(
        std::ranges::count(ports, plugin::Direction::kInput, &plugin::Port::direction));
    draft.node.inputs.reserve(inputs);
    draft.inputs.reserve(inputs);
    draft.node.outputs.reserve(ports.size() - inputs);
    draft.outputs.reserve(ports.size() - inputs);
    for (std::size_t i = 0; i < ports.size(); ++i) {
        const plugin::Port& port = ports[i];
        const bool exists = holds(parse_condition(port.when), settings);
        const bool is_input = port.direction == plugin::Direction::kInput;
        auto& bindings = is_input ? draft.node.inputs : draft.node.outputs;
        auto& wires = is_input ? draft.inputs : draft.outputs;
        Binding binding{.port = static_cast<int>(i), .name = port.name};
        if (!port.streams_setting.empty()) {
            const Value* streams = settings.find(port.streams_setting);
            if (exists && streams != nullptr) {
                add_renamed(port, binding, *streams, bindings, wires);
            }
            continue;
        }
        inventory.add(port.name, exists, port.when);
        bindings.push_back(std::move(binding));
        wires.push_back(
            wire_of(port, exists, find_renaming(renamings, port.name), draft.node.place));
    }
}

// The names of a global: its own, or for "$keys" the ones that the setting lists.
std::vector<std::string> renamed_names(const plugin::Global& global, const Settings& settings) {
    if (!global.name.starts_with('$')) {
        return {global.name};
    }
    std::vector<std::string> names;
    const Value* listed = settings.find(global.name.substr(1));
    if (listed == nullptr || !listed->is_list()) {
        return names;
    }
    for (const Value& name : listed->items()) {
        names.push_back(name.as_string());
    }
    return names;
}

void refuse_constant(const Node& node, const Renaming& renaming, Diagnostics& problems) {
    problems.error(
        *renaming.constant, fmt::format("{}.globals.{}", node.path, toml_key(renaming.from)),
        fmt::format("must be a name (a string): {} publishes this global, and a constant "
                    "can only be read",
                    node.component->name));
}

void rename_global(Node& node, const plugin::Global& global, const Renaming& renaming,
                   Diagnostics& problems) {
    if (!renaming.constant) {
        node.globals[renaming.from] = renaming.to;
    } else if (global.is_written()) {
        refuse_constant(node, renaming, problems);
    } else {
        node.constants[renaming.from] = *renaming.constant;
    }
}

void add_globals(Node& node, const std::vector<Renaming>& renamings, const Settings& settings,
                 Inventory& inventory, Diagnostics& problems) {
    for (const plugin::Global& global : node.component->globals) {
        const bool exists = holds(parse_condition(global.when), settings);
        node.has_global.push_back(exists);
        for (const std::string& name : renamed_names(global, settings)) {
            inventory.add(name, exists, global.when);
            const Renaming* renaming = find_renaming(renamings, name);
            if (exists && renaming != nullptr) {
                rename_global(node, global, *renaming, problems);
            } else if (exists && !global.is_only_if_named()) {
                node.globals[name] = name;
            }
        }
    }
}

void add_statistics(Draft& draft, const std::vector<Renaming>& renamings, const Settings& settings,
                    Inventory& inventory) {
    Node& node = draft.node;
    for (const plugin::Statistic& statistic : node.component->statistics) {
        const bool exists = holds(parse_condition(statistic.when), settings);
        node.has_statistic.push_back(exists);
        inventory.add(statistic.name, exists, statistic.when);
        const Renaming* renaming = find_renaming(renamings, statistic.name);
        if (exists) {
            node.statistics[statistic.name] = renaming == nullptr ? statistic.name : renaming->to;
        }
    }
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
        const plugin::Port& port = draft.port(node.outputs[i]);
        if (!port.is_loss) {
            continue;
        }
        const bool exists = !draft.outputs[i].stream.empty();
        inventory.add(port.name, exists, port.when);
        const Renaming* renaming = find_renaming(renamings, port.name);
        if (exists) {
            node.statistics[port.name] =
                renaming == nullptr ? draft.outputs[i].stream : renaming->to;
        }
    }
}

}  // namespace

void apply_names(Draft& draft, const experiment::Names& names, const Settings& settings,
                 Diagnostics& problems) {
    Node& node = draft.node;
    Inventory ports;
    Inventory globals;
    Inventory statistics;
    if (node.component->kind == plugin::Kind::kTask) {
        ports.add("indices", true, "");
    }
    add_ports(draft, names.streams, settings, ports);
    add_globals(node, names.globals, settings, globals, problems);
    add_statistics(draft, names.statistics, settings, statistics);
    ports.judge(names.streams, "port", "streams", node, problems);
    globals.judge(names.globals, "global", "globals", node, problems);
    statistics.judge(names.statistics, "statistic", "statistics", node, problems);
}

}  // namespace ptp::pipeline
