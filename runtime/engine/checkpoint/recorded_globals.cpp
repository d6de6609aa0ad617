// Reads what a checkpoint has besides tensors, and publishes its globals.

#include "engine/checkpoint/recorded_globals.hpp"

#include "base/error.hpp"
#include "base/file_error.hpp"
#include "bundle/bundle.hpp"
#include "experiment/weights_file.hpp"
#include "pipeline/sizes.hpp"
#include "run/checkpoint_record.hpp"
#include "run/paths.hpp"
#include "run/training_record.hpp"

#include <fmt/core.h>

#include <cassert>
#include <set>
#include <string>
#include <system_error>

namespace ptp::engine {

namespace {

constexpr const char* kPublisher = "the training";

// Adds the globals that a node writes: all, or those with a declared value: "10",
// "$resize_image[0]".
void add_written(const pipeline::Node& node, bool is_declared, std::set<std::string>& names) {
    for (std::size_t i = 0; i < node.has_global.size(); ++i) {
        const plugin::Global& global = node.component->globals[i];
        if (!node.has_global[i] || global.access != plugin::GlobalAccess::kWrite ||
            (is_declared && global.value.empty())) {
            continue;
        }
        for (const std::string& name : declared_names(node, i)) {
            const auto used = node.globals.find(name);
            names.insert(used == node.globals.end() ? name : used->second);
        }
    }
}

// Returns the globals that may change with settings that differ from the training.
std::set<std::string> own_globals(const pipeline::Plan& plan) {
    std::set<std::string> names;
    for (const pipeline::Node& task : plan.tasks) {
        add_written(task, true, names);
    }
    for (const pipeline::Node& node : plan.nodes) {
        add_written(node, false, names);
    }
    return names;
}

bool is_file(const std::filesystem::path& file) {
    std::error_code ignored;
    return std::filesystem::is_regular_file(file, ignored);
}

void publish(const Member& global, ComponentContext& component_context) {
    static_cast<void>(component_context.globals.publish(global.key, global.value, kPublisher));
    const auto symbol = component_context.plan.global_symbols.find(global.key);
    if (!global.value.is_integer() || symbol == component_context.plan.global_symbols.end()) {
        return;
    }
    if (const auto conflict =
            pipeline::learn_size(component_context.plan, symbol->second, global.value.as_integer(),
                                 fmt::format("published by {}", kPublisher))) {
        throw RunError(kConfigurationError, *conflict);
    }
}

}  // namespace

SavedComponents read_saved(const std::optional<std::filesystem::path>& checkpoint) {
    SavedComponents saved;
    if (checkpoint && is_file(*checkpoint / run::kCheckpointFile)) {
        saved.globals = run::read_checkpoint_record(*checkpoint).globals;
    }
    if (checkpoint && is_file(*checkpoint / run::kTrainingFile)) {
        const Value parts = run::read_training(*checkpoint);
        if (const Value* states = parts.find(run::kComponentsPart)) {
            saved.states = *states;
        }
        if (const Value* data = parts.find(run::kDataPart)) {
            saved.data = *data;
        }
    }
    return saved;
}

Value globals_of_weights(const std::filesystem::path& file) {
    try {
        if (experiment::is_bundle(file)) {
            const std::string record = bundle::checkpoint_path(run::kCheckpointFile);
            return run::checkpoint_record_from(bundle::BundleFile(file).read(record), file).globals;
        }
        const std::filesystem::path folder = file.parent_path();
        return is_file(folder / run::kCheckpointFile) ? run::read_checkpoint_record(folder).globals
                                                      : Value::table();
    } catch (const RunError&) {
        return Value::table();
    } catch (const FileError&) {
        return Value::table();
    }
}

void publish_recorded(ComponentContext& component_context) {
    assert(component_context.saved != nullptr);
    const std::set<std::string> own = own_globals(component_context.plan);
    for (const Member& global : component_context.saved->globals.members()) {
        if (!own.contains(global.key)) {
            publish(global, component_context);
        }
    }
}

}  // namespace ptp::engine
