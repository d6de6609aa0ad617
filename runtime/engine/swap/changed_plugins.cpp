#include "engine/swap/changed_plugins.hpp"

#include "base/error.hpp"
#include "pipeline/assemble.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ptp::engine {

namespace {

// Returns the current entry of each plugin of the plan.
plugin::Catalog catalog_of(const pipeline::Plan& plan,
                           const std::vector<plugin::CatalogEntry>& changed) {
    plugin::Catalog catalog;
    std::set<std::filesystem::path> known;
    for (const auto* nodes : {&plan.tasks, &plan.nodes}) {
        for (const pipeline::Node& node : *nodes) {
            if (!known.insert(node.plugin->path).second) {
                continue;
            }
            const auto now =
                std::ranges::find(changed, node.plugin->path, &plugin::CatalogEntry::path);
            catalog.plugins.push_back(now == changed.end() ? *node.plugin : *now);
        }
    }
    return catalog;
}

std::string paths_of(const std::vector<plugin::CatalogEntry>& entries) {
    std::string paths;
    for (const plugin::CatalogEntry& entry : entries) {
        paths += (paths.empty() ? "" : ", ") + entry.path.string();
    }
    return paths;
}

}  // namespace

std::unique_ptr<ChangedPlugins> load_plugins(const experiment::Experiment& experiment,
                                             pipeline::Plan& plan, Plugins& plugins,
                                             spdlog::logger& log) {
    const std::vector<plugin::CatalogEntry> changed = plugins.copy(plan);
    if (changed.empty()) {
        plugins.load(plan);
        return nullptr;
    }
    auto made = std::make_unique<ChangedPlugins>(ChangedPlugins{catalog_of(plan, changed)});
    Diagnostics problems;
    auto again = pipeline::assemble(experiment, made->catalog, {}, problems,
                                    pipeline::NeededFiles::kIgnored);
    if (!again) {
        throw RunError(
            kConfigurationError,
            fmt::format(
                "{}: has changed since it was found, and the experiment does not fit it any "
                "more\n{}",
                paths_of(changed), problems.text()));
    }
    log.warn(fmt::format("{}: has changed since it was found; the run has the newer build",
                         paths_of(changed)));
    plan = std::move(*again);
    plugins.load(plan);
    return made;
}

}  // namespace ptp::engine
