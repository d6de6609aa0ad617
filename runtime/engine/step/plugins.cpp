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
        loaded_.emplace(entry.manifest.name, Loaded{loader_.load(entry), entry.path});
    } catch (const plugin::LoadError& error) {
        throw RunError(kPluginError, error.what());
    }
}

std::vector<Plugins::Loaded> Plugins::loaded() const {
    std::vector<Loaded> all;
    for (const auto& [name, loaded] : loaded_) {
        all.push_back(loaded);
    }
    return all;
}

plugin::Generation Plugins::load_newer(const plugin::CatalogEntry& entry) {
    Call call({entry.path.c_str(), "loading it"});
    return loader_.load(entry);
}

void Plugins::put_in_force(plugin::Generation generation, std::filesystem::path source) {
    const std::string name = generation.manifest().name;
    loaded_.insert_or_assign(name, Loaded{std::move(generation), std::move(source)});
}

const ptp_component_info& Plugins::component(const pipeline::Node& node) const {
    const plugin::Generation& generation = loaded_.at(node.plugin->manifest.name).generation;
    const ptp_component_info* info = generation.component(node.component->name);
    if (info == nullptr) {
        throw RunError(kPluginError, fmt::format("{}: has no component '{}'",
                                                 node.plugin->path.string(), node.component->name));
    }
    return *info;
}

config::Value Plugins::record() const {
    std::vector<config::Value> list;
    for (const auto& [name, loaded] : loaded_) {
        const plugin::Generation& generation = loaded.generation;
        list.push_back(config::Value::table({{"name", name},
                                             {"version", generation.manifest().version},
                                             {"sha256", generation.hash()}}));
    }
    return config::Value::list(std::move(list));
}

}  // namespace ptp::engine
