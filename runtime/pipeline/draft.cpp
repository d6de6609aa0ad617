// Makes the draft of a component: its type is found, and its settings are checked. Its streams,
// globals and statistics are named in draft_names.cpp.

#include "pipeline/draft.hpp"

#include "base/explanation.hpp"
#include "base/ranges.hpp"
#include "experiment/familiar_names.hpp"
#include "pipeline/component_stages.hpp"
#include "pipeline/declaration.hpp"
#include "pipeline/layers.hpp"
#include "pipeline/settings.hpp"
#include "pipeline/tried.hpp"
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

// Returns the first of the given settings that the component does not have; "" if it has all.
std::string lacking(const plugin::Component& component, const Value& given) {
    for (const Member& member : given.members()) {
        if (find_named(component.settings, member.key) == nullptr) {
            return member.key;
        }
    }
    return "";
}

// Returns the component that is meant by the beginning of its name, as it has all settings that are
// given, and the component of that name has not: a ConcatenateTensor by Concat, which is a layer.
const plugin::Component* meant_by_settings(const plugin::Component& named, const Value& given,
                                           const plugin::Catalog& catalog) {
    const auto has_by_another_name = [&](const std::string& other) {
        return find_named(named.settings, other) != nullptr;
    };
    const std::string lacked = lacking(named, given);
    if (lacked.empty() ||
        std::ranges::any_of(experiment::familiar_settings(lacked), has_by_another_name)) {
        return nullptr;
    }
    for (const plugin::Component* other : components_of(catalog)) {
        if (other->name != named.name && folded(other->name).starts_with(folded(named.name)) &&
            (other->kind == plugin::Kind::kTask) == (named.kind == plugin::Kind::kTask) &&
            lacking(*other, given).empty()) {
            return other;
        }
    }
    return nullptr;
}

// nullopt after reporting that there is no such type.
template <class AnyEntry>
std::optional<plugin::Found> type_of(const AnyEntry& entry, bool is_task,
                                     const DraftContext& context) {
    if (entry.type.empty()) {
        return std::nullopt;  // reported already when the experiment was read
    }
    const auto found = find_type(
        context.catalog, {entry.type, entry.type_place, entry.path, is_task}, context.problems);
    const plugin::Component* const meant =
        found ? meant_by_settings(*found->component, entry.settings, context.catalog) : nullptr;
    if (meant == nullptr) {
        return found;
    }
    context.problems.error(
        Value(entry.type).at(entry.type_place), entry.path + ".type",
        Explanation{fmt::format("has no {}; did you mean '{}', which has it?",
                                lacking(*found->component, entry.settings), meant->name),
                    fmt::format("write type = \"{}\"", meant->name)});
    return std::nullopt;
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

experiment::ComponentEntry with_try(experiment::ComponentEntry entry,
                                    const experiment::Pipeline& pipeline) {
    const experiment::TryEntry* const tries = find_named(pipeline.tries, entry.tried_in);
    if (tries == nullptr) {
        return entry;
    }
    entry.phases = tries->phases;
    entry.skip_if_missing = tries->skip_if_missing;
    entry.passes_through = tries->passes_through;
    entry.pass_place = tries->pass_place;
    entry.stage = tries->stage;
    entry.stage_place = tries->stage_place;
    return entry;
}

namespace {

// Adds the names of streams that the `try` of a component has for ports of its own.
void add_tried_streams(const experiment::Pipeline& pipeline, const plugin::Component& component,
                       experiment::ComponentEntry& entry) {
    const experiment::TryEntry* const tries = find_named(pipeline.tries, entry.tried_in);
    for (std::size_t i = 0; tries != nullptr && i < tries->names.streams.size(); ++i) {
        const experiment::Renaming& renaming = tries->names.streams[i];
        if (find_named(component.ports, renaming.from) != nullptr &&
            find_by(entry.names.streams, renaming.from, &experiment::Renaming::from) == nullptr) {
            entry.names.streams.push_back(renaming);
        }
    }
}

void leave_out_streams(Draft& draft) {
    for (auto* bindings : {&draft.node.inputs, &draft.node.outputs}) {
        for (Binding& binding : *bindings) {
            binding.wire = {};
        }
    }
    draft.is_sound = false;
    draft.has_known_outputs = false;
}

}  // namespace

std::optional<Draft> draft_component(const experiment::ComponentEntry& written,
                                     const experiment::Pipeline& pipeline,
                                     const DraftContext& context) {
    const auto found = type_of(written, false, context);
    experiment::ComponentEntry entry = written;
    // A component that check_tried() refuses has no streams, so that nothing else is reported.
    const bool is_misplaced =
        found && !written.tried_in.empty() && !reason_not_to_try(*found->component).empty();
    if (is_misplaced) {
        entry.tried_in.clear();
    }
    entry = with_try(std::move(entry), pipeline);
    if (found) {
        add_tried_streams(pipeline, *found->component, entry);
    }
    if (found && pipeline.interval && has_interval(*found->component) &&
        entry.settings.find("interval") == nullptr) {
        entry.settings.set("interval", *pipeline.interval);
    }
    auto draft = found ? make_draft(entry.name, entry, *found, context) : std::nullopt;
    if (!draft) {
        return std::nullopt;
    }
    if (is_misplaced) {
        leave_out_streams(*draft);
    }
    draft->priority = entry.priority;
    draft->priority_place = entry.priority_place;
    draft->phases = entry.phases;
    draft->skip_if_missing = entry.skip_if_missing;
    draft->node.passes_through = entry.passes_through;
    draft->node.pass_place = entry.pass_place;
    draft->node.tried_in = entry.tried_in;
    draft->node.turn = entry.turn;
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

}  // namespace ptp::pipeline
