#include "pipeline/draft.hpp"

#include "pipeline/declaration.hpp"
#include "pipeline/evaluate.hpp"
#include "pipeline/find_type.hpp"
#include "pipeline/settings.hpp"

#include <fmt/core.h>

#include <algorithm>

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
    apply_names(draft, entry.names, {*node.component, node.settings}, context.problems);
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
    draft->node.freeze_place = entry.freeze_place;
    draft->node.frozen_until = entry.frozen_until;
    if (!entry.share.empty()) {
        share_instance(entry, draft->node);
    }
    if (!entry.share.empty() && !is_model) {
        context.problems.error(
            entry.share_place, entry.path + ".share",
            fmt::format("'{}' is a {} and has no weights to share: only models do", entry.share,
                        kind_text(draft->node.component->kind)));
    }
    if ((entry.is_frozen || !entry.frozen_layers.empty()) && !is_model) {
        context.problems.error(
            entry.freeze_place, entry.path + ".freeze",
            fmt::format("{} is a {} and has nothing to freeze: only models do",
                        draft->node.component->name, kind_text(draft->node.component->kind)));
    }
    return draft;
}

}  // namespace ptp::pipeline
