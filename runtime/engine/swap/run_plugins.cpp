// Loads the builds that a run has, however the files of its plugins have changed since.

#include "engine/swap/run_plugins.hpp"

#include "base/error.hpp"
#include "base/output_file.hpp"
#include "base/ranges.hpp"
#include "engine/swap/generations.hpp"
#include "engine/swap/swap_error.hpp"
#include "pipeline/assemble.hpp"
#include "plugin/companions.hpp"
#include "plugin/note.hpp"
#include "plugin/search_path.hpp"
#include "run/checkpoint_record.hpp"
#include "run/paths.hpp"
#include "run/plugins_lock.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ptp::engine {

namespace {

namespace fs = std::filesystem;

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
    const std::vector<fs::path> paths = transformed<fs::path>(entries, &plugin::CatalogEntry::path);
    return path_list(paths);
}

plugin::Staged staged(const run::LockedPlugin& plugin, const std::string& hash,
                      const fs::path& folder) {
    const auto locked = std::ranges::find(plugin.generations, hash, &run::LockedGeneration::sha256);
    if (locked == plugin.generations.end()) {
        throw RunError(kPluginError,
                       fmt::format("the checkpoint was written by a build of '{}' with the SHA-256 "
                                   "{}, which {} does not have",
                                   plugin.name, hash, run::kPluginsLockFile));
    }
    const fs::path file = fs::absolute(folder / locked->file);
    try {
        const std::string change = run::change_of_build(plugin::build_hash(file), hash);
        if (!change.empty()) {
            throw RunError(kPluginError, fmt::format("{}: {}", file.string(), change));
        }
        return {locked->source, {file, plugin::read_manifest(file)}, hash};
    } catch (const RunError& error) {  // thrown by read_text(); it names the path
        throw RunError(error.code() == kTrainingError ? kTrainingError : kPluginError,
                       error.what());
    } catch (const ResourceError& error) {
        throw RunError(kTrainingError, fmt::format("{}: {}", file.string(), error.what()));
    } catch (const std::exception& error) {
        throw RunError(kPluginError, fmt::format("{}: {}", file.string(), error.what()));
    }
}

void require_first_party(const plugin::Staged& staged) {
    if (const auto why = refuse_origin(staged)) {
        throw WithFix<RunError>(
            kPluginError,
            {fmt::format("{}: {}", staged.copy.path.string(), why->reason), why->fix});
    }
}

}  // namespace

std::unique_ptr<plugin::Catalog> load_plugins(const experiment::Experiment& experiment,
                                              pipeline::Plan& plan, Plugins& plugins,
                                              spdlog::logger& log) {
    const std::vector<plugin::CatalogEntry> changed = plugins.copy(plan);
    if (changed.empty()) {
        plugins.load(plan);
        return nullptr;
    }
    auto made = std::make_unique<plugin::Catalog>(catalog_of(plan, changed));
    Diagnostics problems;
    auto again =
        pipeline::assemble(experiment, *made, {}, problems, pipeline::NeededFiles::kIgnored);
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

std::shared_ptr<NextPipeline> resumed_pipeline(const CurrentPipeline& first, Plugins& plugins,
                                               const fs::path& run_folder,
                                               const fs::path& checkpoint, bool is_safe) {
    const std::map<std::string, std::string> wanted = run::recorded_plugins(checkpoint);
    std::vector<plugin::Staged> files;
    for (const Plugins::Loaded& loaded : plugins.loaded()) {
        const std::string& name = loaded.generation.manifest().name;
        const auto hash = wanted.find(name);
        if (!Generations::is_copy(loaded.source, run_folder) || hash == wanted.end() ||
            hash->second == loaded.generation.hash()) {
            continue;
        }
        const run::PluginsLock lock = run::read_plugins_lock(run_folder / run::kPluginsLockFile);
        const auto plugin = std::ranges::find(lock.plugins, name, &run::LockedPlugin::name);
        if (plugin == lock.plugins.end()) {
            throw RunError(kPluginError, fmt::format("{} does not have the plugin '{}'",
                                                     run::kPluginsLockFile, name));
        }
        files.push_back(staged(*plugin, hash->second, run_folder / run::kPluginsFolder));
        if (is_safe) {
            require_first_party(files.back());
        }
    }
    if (files.empty()) {
        return nullptr;
    }
    try {
        auto pipeline = plan_next(first, files);
        for (const plugin::Staged& file : files) {
            plugins.activate(plugins.load_newer(file.copy), file.source);
        }
        return pipeline;
    } catch (const std::runtime_error& error) {
        const auto* lack = dynamic_cast<const plugin::LoadError*>(&error);
        throw RunError(
            lack == nullptr ? kPluginError : code_of(*lack),
            fmt::format("cannot continue from {}: {}", checkpoint.string(), error.what()));
    }
}

std::optional<Explanation> refuse_origin(const plugin::Staged& staged) {
    const auto installation = plugin::installation_folder(plugin::executable_path());
    if (plugin::is_first_party(staged.copy.manifest.name, staged.copy.path, installation)) {
        return std::nullopt;
    }
    return Explanation{"does not come with this ptp, and the run is in safe mode",
                       "begin or resume the run without --safe-mode"};
}

}  // namespace ptp::engine
