// Copies and loads the plugins of a run, and turns errors of loading into errors of the run.

#include "engine/component/plugins.hpp"

#include "base/error.hpp"
#include "engine/component/call.hpp"
#include "plugin/catalog.hpp"

#include <fmt/core.h>

#include <set>
#include <string_view>
#include <utility>

namespace ptp::engine {

namespace {

template <class Work>
auto as_run_errors(Work work) {
    try {
        return work();
    } catch (const plugin::LoadError& error) {
        throw RunError(code_of(error), error.what());
    }
}

}  // namespace

ExitCode code_of(const plugin::LoadError& error) {
    return error.refused_for() == RefusedFor::kNow ? kTrainingError : kPluginError;
}

Plugins::Plugins(const pipeline::Plan& plan, const std::filesystem::path& copies)
    : loader_(copies) {
    load(plan);
}

// Does `work` once for each plugin.
template <class Work>
void Plugins::for_each_plugin(const pipeline::Plan& plan, Work work) const {
    std::set<std::string_view> done;
    for (const auto* nodes : {&plan.tasks, &plan.nodes}) {
        for (const pipeline::Node& node : *nodes) {
            if (done.insert(node.plugin->manifest.name).second) {
                work(*node.plugin);
            }
        }
    }
}

std::vector<plugin::CatalogEntry> Plugins::copy(const pipeline::Plan& plan) {
    std::vector<plugin::CatalogEntry> changed;
    for_each_plugin(plan, [&](const plugin::CatalogEntry& entry) {
        plugin::Manifest manifest = as_run_errors([&] { return loader_.copy(entry); });
        if (manifest != entry.manifest) {
            changed.push_back({entry.path, std::move(manifest)});
        }
    });
    return changed;
}

void Plugins::load(const pipeline::Plan& plan) {
    for_each_plugin(plan, [this](const plugin::CatalogEntry& entry) { load(entry); });
}

void Plugins::load(const plugin::CatalogEntry& entry) {
    Call call({entry.path.c_str(), "loading it"});
    as_run_errors([&] {
        loaded_.emplace(entry.manifest.name, Loaded{loader_.load(entry), entry.path});
    });
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

void Plugins::activate(plugin::Generation generation, std::filesystem::path source) {
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

Value Plugins::record() const {
    std::vector<Value> list;
    for (const auto& [name, loaded] : loaded_) {
        const plugin::Generation& generation = loaded.generation;
        list.push_back(Value::table({{"name", name},
                                     {"version", generation.manifest().version},
                                     {"sha256", generation.hash()}}));
    }
    return Value::list(std::move(list));
}

}  // namespace ptp::engine
