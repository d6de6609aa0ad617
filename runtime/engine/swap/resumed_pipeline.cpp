#include "engine/swap/resumed_pipeline.hpp"

#include "base/error.hpp"
#include "base/explanation.hpp"
#include "base/output_file.hpp"
#include "engine/swap/safe_mode.hpp"
#include "engine/swap/swap_error.hpp"
#include "plugin/companions.hpp"
#include "plugin/note.hpp"
#include "run/checkpoint_record.hpp"
#include "run/paths.hpp"
#include "run/plugins_lock.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>

namespace ptp::engine {

namespace {

namespace fs = std::filesystem;

// Others were named for the run to continue with.
bool is_copy(const Plugins::Loaded& loaded, const fs::path& run_folder) {
    std::error_code ignored;
    return fs::equivalent(loaded.source.parent_path(), run_folder / run::kPluginsFolder, ignored);
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
        if (plugin::build_hash(file) != hash) {
            throw RunError(kPluginError,
                           fmt::format("{}: has changed since it was locked", file.string()));
        }
        return {locked->source, {file, plugin::read_manifest(file)}, hash};
    } catch (const RunError& error) {  // of read_text(), with the path
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

std::shared_ptr<NextPipeline> resumed_pipeline(const CurrentPipeline& first, Plugins& plugins,
                                               const fs::path& run_folder,
                                               const fs::path& checkpoint, bool is_safe) {
    const std::map<std::string, std::string> wanted = run::recorded_plugins(checkpoint);
    std::vector<plugin::Staged> files;
    for (const Plugins::Loaded& loaded : plugins.loaded()) {
        const std::string& name = loaded.generation.manifest().name;
        const auto hash = wanted.find(name);
        if (!is_copy(loaded, run_folder) || hash == wanted.end() ||
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

}  // namespace ptp::engine
