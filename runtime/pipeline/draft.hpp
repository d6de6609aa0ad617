// A draft: a component of the experiment by itself, before it is wired to the others. Its type has
// been found, its settings are checked, and its ports and the names of their streams are known.

#pragma once

#include "base/diagnostics.hpp"
#include "experiment/experiment.hpp"
#include "pipeline/evaluate.hpp"
#include "pipeline/plan.hpp"
#include "plugin/catalog.hpp"
#include "schema/key.hpp"

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::pipeline {

struct Assembly;

struct Draft {
    Node node;                        // without streams, shapes and symbols
    std::string indices = "indices";  // of a task: the stream for the host's own output
    std::optional<double> priority;
    SourceLocation priority_place;
    std::vector<std::string> phases = {};  // of a component: in which it runs; empty: in all
    bool skip_if_missing = false;
    bool is_shared = false;         // it has type and settings of another, which publishes globals
    bool has_known_outputs = true;  // even if something else is wrong with it
    bool is_sound = true;  // false: its settings are not all known, so its shapes are not either
    bool has_wrong_input = false;  // which has no stream, or takes other elements than it carries
    // A loss or statistic that gets integers in place of floating numbers, or the reverse: what is
    // done about it also changes which scores it takes, and their dimensions.
    bool is_replaced = false;
    // The drafts and streams of layers, if it has lists of them. The node has them later.
    std::shared_ptr<Assembly> inner = {};

    [[nodiscard]] const plugin::Port& port(const Binding& binding) const {
        return node.port(binding);
    }
    // Predicting is a part of "process".
    [[nodiscard]] bool runs_in(std::string_view phase) const {
        return phases.empty() || contains(phases, phase) ||
               (phase == "predict" && contains(phases, std::string_view("process")));
    }
};

// In find_type.cpp: the component that an experiment means by a type.

struct TypeRequest {
    std::string type;      // "LeNet5", or "vision_models/LeNet5"
    SourceLocation place;  // of the type
    std::string path;      // of the component's table: "pipeline.lenet5"
    bool is_task = false;
};

// nullopt after reporting that there is no such component, several, or one of the wrong kind.
std::optional<plugin::Found> find_type(const plugin::Catalog& catalog, const TypeRequest& request,
                                       Diagnostics& problems);

// Returns the types that a name of another program may mean, five at most: itself where a plugin
// has it; with a kind, those of components of the kind.
std::vector<std::string> types_meant(const plugin::Catalog& catalog, const std::string& name,
                                     std::optional<plugin::Kind> kind);

// Returns whether the summary of the component has all words that the glossary has for a type.
bool is_meant_by(const plugin::Component& component, std::string_view type);

// Returns why no layer has the name `type`, and what is meant: "nn.Conv2d(1, 16, 5)" is Conv2d,
// and "Dense" is the layer that is `described` so (may be null). `names` are those of all layers.
Explanation unknown_layer(const std::string& type, const std::vector<std::string>& names,
                          const plugin::Component* described);

// Returns all components of all plugins.
std::vector<const plugin::Component*> components_of(const plugin::Catalog& catalog);

// Returns whether the settings determine if the port exists, or how many times.
bool depends_on_settings(const plugin::Port& port);

// Returns whether a component has the setting whose default is the experiment's `interval`.
bool has_interval(const plugin::Component& component);

// The arguments that all drafts of an experiment share.
struct DraftContext {
    const plugin::Catalog& catalog;
    std::filesystem::path home;
    Diagnostics& problems;
    const Value* document = nullptr;  // (optional) the experiment's, for advice
    // A cache of the types whose declaration is valid, with the keys of their settings: several
    // components may have the same type.
    mutable std::map<const plugin::Component*, std::vector<schema::Key>> sound = {};
};

// nullopt after reporting that the type cannot be used. Other problems leave a draft that is not
// sound.
std::optional<Draft> draft_task(const experiment::Section& section, const DraftContext& context);
std::optional<Draft> draft_component(const experiment::ComponentEntry& entry,
                                     const experiment::Pipeline& pipeline,
                                     const DraftContext& context);

// Returns the entry with what the `try` that names it, if any, has for all that it tries: when and
// where they run.
experiment::ComponentEntry with_try(experiment::ComponentEntry entry,
                                    const experiment::Pipeline& pipeline);

// Drafts a layer of a list, whose type has been found.
std::optional<Draft> draft_layer(const experiment::ComponentEntry& entry,
                                 const plugin::Found& found, const DraftContext& context);

// Gives the draft its bindings, globals and statistics by the names that the experiment
// assigns to them; reports names of things that the component does not have, and warns of those
// that it does not have with these settings.
void apply_names(Draft& draft, const experiment::Names& names, const Settings& settings,
                 Diagnostics& problems);

}  // namespace ptp::pipeline
