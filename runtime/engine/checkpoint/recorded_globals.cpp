#include "engine/checkpoint/recorded_globals.hpp"

#include "base/error.hpp"
#include "pipeline/sizes.hpp"
#include "run/checkpoint_record.hpp"
#include "run/paths.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <string>
#include <system_error>

namespace ptp::engine {

namespace {

constexpr const char* kPublisher = "the training";

// The globals that a node writes: all, or those whose value is declared: "10", "$resize_image[0]".
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

// What settings that differ from the training may change.
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

Value recorded(const std::filesystem::path& checkpoint) {
    std::error_code ignored;
    const bool is_there =
        std::filesystem::is_regular_file(checkpoint / run::kCheckpointFile, ignored);
    return is_there ? run::read_checkpoint_record(checkpoint).globals : Value();
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

void publish_recorded(const std::optional<std::filesystem::path>& checkpoint,
                      ComponentContext& component_context) {
    if (!checkpoint) {
        return;
    }
    const std::set<std::string> own = own_globals(component_context.plan);
    const Value globals = recorded(*checkpoint);
    for (const Member& global : globals.members()) {
        if (!own.contains(global.key)) {
            publish(global, component_context);
        }
    }
}

}  // namespace ptp::engine
