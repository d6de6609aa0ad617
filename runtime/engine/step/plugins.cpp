#include "engine/step/plugins.hpp"

#include "engine/error.hpp"
#include "engine/step/call.hpp"
#include "plugin/catalog.hpp"

#include <fmt/core.h>

#include <utility>
#include <vector>

namespace ptp::engine {

Plugins::Plugins(const pipeline::Plan& plan, const std::filesystem::path& copies)
    : loader_(copies) {
    for (const auto* nodes : {&plan.tasks, &plan.nodes}) {
        for (const pipeline::Node& node : *nodes) {
            if (!loaded_.contains(node.plugin->manifest.name)) {
                load(*node.plugin);
            }
        }
    }
}

void Plugins::load(const plugin::CatalogEntry& entry) {
    Call call({entry.path.c_str(), "loading it"});
    try {
        loaded_.emplace(entry.manifest.name, loader_.load(entry));
    } catch (const plugin::LoadError& error) {
        throw RunError(kPluginError, error.what());
    }
}

const ptp_component_info& Plugins::component(const pipeline::Node& node) const {
    const plugin::Generation& generation = loaded_.at(node.plugin->manifest.name);
    const ptp_component_info* info = generation.component(node.component->name);
    if (info == nullptr) {
        throw RunError(kPluginError, fmt::format("{}: has no component '{}'",
                                                 node.plugin->path.string(), node.component->name));
    }
    return *info;
}

config::Value Plugins::record() const {
    std::vector<config::Value> list;
    for (const auto& [name, generation] : loaded_) {
        list.push_back(config::Value::table({{"name", name},
                                             {"version", generation.manifest().version},
                                             {"sha256", generation.hash()}}));
    }
    return config::Value::list(std::move(list));
}

}  // namespace ptp::engine
