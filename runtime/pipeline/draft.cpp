// Makes the draft of a component: its type is found, its settings are checked, and its streams,
// globals and statistics get the names that the experiment assigns to them.

#include "pipeline/draft.hpp"

#include "base/explanation.hpp"
#include "base/ranges.hpp"
#include "base/suggest.hpp"
#include "base/toml_writer.hpp"
#include "pipeline/component_stages.hpp"
#include "pipeline/declaration.hpp"
#include "pipeline/layers.hpp"
#include "pipeline/settings.hpp"
#include "plugin/enum_names.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace ptp::pipeline {

namespace {

// The keys of the component's settings; nullptr after reporting a mistake of the plugin, which is
// placed in the plugin's file.
const std::vector<schema::Key>* declared_keys(const plugin::Found& found,
                                              const DraftContext& context) {
    const auto known = context.sound.find(found.component);
    if (known != context.sound.end()) {
        return &known->second;
    }
    const std::vector<std::string> sentences = check_declaration(*found.component);
    for (const std::string& sentence : sentences) {
        context.problems.error(
            SourceLocation(found.plugin->path.string(), 0, 0), "",
            fmt::format("plugin '{}', component '{}': {}", found.plugin->manifest.name,
                        found.component->name, sentence));
    }
    return sentences.empty()
               ? &(context.sound[found.component] = keys_of(found.component->settings))
               : nullptr;
}

bool has_fixed_outputs(const Node& node) {
    return std::ranges::none_of(node.component->ports, [](const plugin::Port& port) {
        return port.direction == plugin::Direction::kOutput && depends_on_settings(port);
    });
}

// `entry` is the table of a task, of a component or of a layer.
template <class AnyEntry>
std::optional<Draft> make_draft(const std::string& name, const AnyEntry& entry,
                                const plugin::Found& found, const DraftContext& context) {
    const std::vector<schema::Key>* keys = declared_keys(found, context);
    if (keys == nullptr) {
        return std::nullopt;
    }
    const std::size_t errors_before = context.problems.error_count();
    Draft draft;
    Node& node = draft.node;
    node.name = name;
    node.path = entry.path;
    node.place = entry.place;
    node.plugin = found.plugin;
    node.component = found.component;
    const Value settings =
        without_words(found.component->settings, entry.settings, entry.path, context.problems);
    const SettingsSource source{settings,        entry.path,       entry.place,     context.home,
                                found.component, context.document, &context.catalog};
    node.settings = check_settings(found.component->settings, *keys, source, context.problems);
    const std::size_t errors_of_settings = context.problems.error_count();
    apply_names(draft, entry.names, checked_settings(node), context.problems);
    const bool are_names_sound = context.problems.error_count() == errors_of_settings;
    draft_layers(draft, context);
    draft.is_sound = context.problems.error_count() == errors_before;
    draft.has_known_outputs = draft.is_sound || (are_names_sound && has_fixed_outputs(node));
    return draft;
}

// nullopt after reporting that there is no such type.
template <class AnyEntry>
std::optional<plugin::Found> type_of(const AnyEntry& entry, bool is_task,
                                     const DraftContext& context) {
    if (entry.type.empty()) {
        return std::nullopt;  // reported already when the experiment was read
    }
    return find_type(context.catalog, {entry.type, entry.type_place, entry.path, is_task},
                     context.problems);
}

// The shared instance publishes its globals once. What has no weights is a component of its own.
void share_instance(const experiment::ComponentEntry& entry, Node& node) {
    if (node.component->kind == plugin::Kind::kModel) {
        node.share = entry.share;
    }
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
    const auto found = type_of(section.task, true, context);
    auto draft = found ? make_draft(section.name, section.task, *found, context) : std::nullopt;
    if (!draft) {
        return std::nullopt;
    }
    draft->node.section = section.name;
    draft->indices = experiment::renamed(section.task.names.streams, "indices");
    return draft;
}

std::optional<Draft> draft_layer(const experiment::ComponentEntry& entry,
                                 const plugin::Found& found, const DraftContext& context) {
    return make_draft(entry.name, entry, found, context);
}

namespace {

// A plugin may have a setting of the name that became a key of the host's.
void set_stage(const experiment::ComponentEntry& entry, Node& node, Diagnostics& problems) {
    if (entry.stage.empty()) {
        return;
    }
    if (find_named(node.component->settings, "stage") != nullptr) {
        problems.error(entry.stage_place, entry.path + ".stage",
                       fmt::format("{} has a setting of this name, which is a key of every "
                                   "component: it keeps its default",
                                   node.component->name));
    }
    node.asked_stage = stage_named(entry.stage);
    node.stage_place = entry.stage_place;
}

}  // namespace

std::optional<Draft> draft_component(const experiment::ComponentEntry& written,
                                     const experiment::Pipeline& pipeline,
                                     const DraftContext& context) {
    const auto found = type_of(written, false, context);
    experiment::ComponentEntry entry = written;
    if (found && pipeline.interval && has_interval(*found->component) &&
        entry.settings.find("interval") == nullptr) {
        entry.settings.set("interval", *pipeline.interval);
    }
    auto draft = found ? make_draft(entry.name, entry, *found, context) : std::nullopt;
    if (!draft) {
        return std::nullopt;
    }
    draft->priority = entry.priority;
    draft->priority_place = entry.priority_place;
    draft->phases = entry.phases;
    draft->skip_if_missing = entry.skip_if_missing;
    set_stage(entry, draft->node, context.problems);
    const bool is_model = draft->node.component->kind == plugin::Kind::kModel;
    const bool says_so_itself = entry.is_frozen || entry.freeze_place != SourceLocation();
    draft->node.is_frozen = says_so_itself ? entry.is_frozen : pipeline.is_frozen && is_model;
    draft->node.frozen_layers = entry.frozen_layers;
    draft->node.freezes_others = entry.freezes_others;
    draft->node.freeze_place = entry.freeze_place;
    draft->node.frozen_until = entry.frozen_until;
    const std::string_view kind = plugin::to_string(draft->node.component->kind);
    if (!entry.share.empty()) {
        share_instance(entry, draft->node);
        draft->is_shared = true;
    }
    const bool is_output = draft->node.component->kind == plugin::Kind::kPublisher ||
                           draft->node.component->kind == plugin::Kind::kViewer;
    if (!entry.share.empty() && is_output) {
        context.problems.error(
            entry.share_place, entry.path + ".share",
            Explanation{fmt::format("'{}' is a {} and has nothing to share: models share their "
                                    "weights, and transforms, losses and statistics their settings",
                                    entry.share, kind),
                        "write its type and settings in place of share; in a group, weights = "
                        "\"own\" in the use with map, or leave out its share"});
    }
    if ((entry.is_frozen || !entry.frozen_layers.empty()) && !is_model) {
        context.problems.error(entry.freeze_place, entry.path + ".freeze",
                               fmt::format("{} is a {} and has nothing to freeze: only models do",
                                           draft->node.component->name, kind));
    }
    return draft;
}

namespace {

using experiment::Renaming;

const Renaming* find_renaming(const std::vector<Renaming>& map, const std::string& name) {
    return find_by(map, name, &Renaming::from);
}

// The ports, globals and statistics of a component, and which exist with the given settings.
class Inventory {
public:
    // `when` must outlive it.
    void add(const std::string& name, bool exists, std::string_view when) {
        if (Entry* const known = find_named(entries_, name)) {
            known->exists = known->exists || exists;
        } else {
            entries_.push_back({name, exists, when});
        }
    }

    // Judges every name of `map`; `what` is "port", and `table` "streams", of the component.
    void judge(const std::vector<Renaming>& map, std::string_view what, std::string_view table,
               const Node& node, Diagnostics& problems) const {
        const std::string& type = node.component->name;
        for (const Renaming& renaming : map) {
            const Entry* const found = find_named(entries_, renaming.from);
            if (found != nullptr && found->exists) {
                continue;
            }
            const std::string path =
                fmt::format("{}.{}.{}", node.path, table, toml_key(renaming.from));
            if (found == nullptr) {
                const std::vector<std::string> names = transformed(entries_, &Entry::name);
                problems.error(renaming.from_place, path,
                               fmt::format("{} has no {} of this name{}", type, what,
                                           hint(renaming.from, names)));
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

    std::vector<Entry> entries_;
};

// Returns the stream of a port: of its own name, unless the experiment has another.
Wire wire_of(const plugin::Port& port, const Renaming* renaming, const SourceLocation& place) {
    return renaming == nullptr ? Wire{port.name, place}
                               : Wire{renaming->to, renaming->to_place, true};
}

void add_ports(Draft& draft, const std::vector<Renaming>& renamings, const Settings& settings,
               Inventory& inventory) {
    const auto& ports = draft.node.component->ports;
    for (std::size_t i = 0; i < ports.size(); ++i) {
        const plugin::Port& port = ports[i];
        const bool exists = holds(parse_condition(port.when), settings);
        auto& bindings =
            port.direction == plugin::Direction::kInput ? draft.node.inputs : draft.node.outputs;
        Binding binding{.port = static_cast<int>(i), .name = port.name};
        if (port.streams_setting.empty()) {
            inventory.add(port.name, exists, port.when);
            if (exists) {
                binding.wire = wire_of(port, find_renaming(renamings, port.name), draft.node.place);
            }
            bindings.push_back(std::move(binding));
            continue;
        }
        const Value* streams = settings.find(port.streams_setting);
        for (std::size_t k = 0; exists && streams != nullptr && k < streams->items().size(); ++k) {
            const Value& stream = streams->items()[k];
            binding.name = fmt::format("{}[{}]", port.streams_setting, k);
            binding.wire = {stream.as_string(), stream.place(), true};
            bindings.push_back(binding);
        }
    }
}

// The names of a global: its own, or for "$keys" the ones that the setting lists.
std::vector<std::string> names_of(const plugin::Global& global, const Settings& settings) {
    if (!global.name.starts_with('$')) {
        return {global.name};
    }
    std::vector<std::string> names;
    const Value* listed = settings.find(global.name.substr(1));
    for (std::size_t i = 0; listed != nullptr && listed->is_list() && i < listed->items().size();
         ++i) {
        names.push_back(listed->items()[i].as_string());
    }
    return names;
}

void rename_global(Node& node, const plugin::Global& global, const Renaming& renaming,
                   Diagnostics& problems) {
    if (!renaming.constant) {
        node.globals[renaming.from] = renaming.to;
    } else if (!global.is_written()) {
        node.constants[renaming.from] = *renaming.constant;
    } else {
        problems.error(
            *renaming.constant, fmt::format("{}.globals.{}", node.path, toml_key(renaming.from)),
            fmt::format("must be a name (a string): {} publishes this global, and a constant "
                        "can only be read",
                        node.component->name));
    }
}

void add_globals(Node& node, const std::vector<Renaming>& renamings, const Settings& settings,
                 Inventory& inventory, Diagnostics& problems) {
    for (const plugin::Global& global : node.component->globals) {
        const bool exists = holds(parse_condition(global.when), settings);
        node.has_global.push_back(exists);
        for (const std::string& name : names_of(global, settings)) {
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
    for (const Binding& output : node.outputs) {
        const plugin::Port& port = draft.port(output);
        if (!port.is_loss) {
            continue;
        }
        const bool exists = !output.wire.stream.empty();
        inventory.add(port.name, exists, port.when);
        const Renaming* renaming = find_renaming(renamings, port.name);
        if (exists) {
            node.statistics[port.name] = renaming == nullptr ? output.wire.stream : renaming->to;
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
