// Chooses the copies of plugins in a run's folder, and compares them with its plugins.lock; finds
// those of a bundle among the installed plugins.

#include "host/run_plugins.hpp"

#include "base/file_error.hpp"
#include "base/text.hpp"
#include "bundle/bundle.hpp"
#include "host/open_engine.hpp"
#include "plugin/catalog.hpp"
#include "plugin/companions.hpp"
#include "plugin/search_path.hpp"
#include "run/checkpoint_record.hpp"
#include "run/paths.hpp"
#include "run/plugins_lock.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cassert>
#include <map>
#include <set>
#include <string>

namespace ptp::host {

namespace fs = std::filesystem;

namespace {

std::vector<fs::path> all_copies(const fs::path& run) {
    std::vector<fs::path> files;
    std::error_code nothing_there;
    for (fs::directory_iterator it(run / run::kPluginsFolder, nothing_there), end; it != end;
         it.increment(nothing_there)) {
        if (it->path().extension() == ".so") {
            files.push_back(fs::absolute(it->path()));
        }
    }
    std::ranges::sort(files);
    return files;
}

void check(const fs::path& file, const std::string& hash, Diagnostics& problems) {
    const auto complain = [&](const std::string& text) {
        problems.error(SourceLocation(file.string(), 0, 0), "", text);
    };
    std::error_code ignored;
    if (!fs::is_regular_file(file, ignored)) {
        complain(
            "is missing: it is the build that the run has used; --plugins continues with another");
        return;
    }
    try {
        const std::string change = run::change_of_build(plugin::build_hash(file), hash);
        if (!change.empty()) {
            complain(change + "; --plugins continues with another build");
        }
    } catch (const FileError& error) {
        complain(error.what());
    }
}

std::set<std::string> names_in(const std::vector<fs::path>& folders) {
    std::set<std::string> names;
    for (const plugin::CatalogEntry& entry : plugin::scan(folders).plugins) {
        names.insert(entry.manifest.name);
    }
    return names;
}

std::vector<fs::path> chosen(const fs::path& run, const std::map<std::string, std::string>& wanted,
                             const std::set<std::string>& replaced, Diagnostics& problems) {
    std::error_code ignored;
    if (!fs::exists(run / run::kPluginsLockFile, ignored)) {
        return all_copies(run);
    }
    std::vector<fs::path> files;
    for (const run::LockedPlugin& plugin :
         run::read_plugins_lock(run / run::kPluginsLockFile).plugins) {
        if (replaced.contains(plugin.name)) {
            continue;
        }
        const auto hash = wanted.find(plugin.name);
        auto generation = plugin.generations.begin();
        if (hash != wanted.end()) {
            const auto found =
                std::ranges::find(plugin.generations, hash->second, &run::LockedGeneration::sha256);
            generation = found == plugin.generations.end() ? generation : found;
        }
        files.push_back(fs::absolute(run / run::kPluginsFolder / generation->file));
        check(files.back(), generation->sha256, problems);
    }
    return files;
}

// An installed build of a plugin that a bundle needs.
struct InstalledBuild {
    fs::path file;
    std::string version;
    std::string sha256;
};

std::vector<InstalledBuild> builds_of(const std::string& plugin,
                                      const std::vector<plugin::Catalog>& folders) {
    std::vector<InstalledBuild> builds;
    for (const plugin::Catalog& folder : folders) {
        for (const plugin::CatalogEntry& entry : folder.plugins) {
            if (entry.manifest.name == plugin) {
                builds.push_back(
                    {entry.path, entry.manifest.version, plugin::build_hash(entry.path)});
            }
        }
    }
    return builds;
}

// Returns the build that trained the model, or else one of its version, or else the first.
const InstalledBuild& best_of(const std::vector<InstalledBuild>& builds,
                              const bundle::NeededPlugin& needed) {
    auto found = std::ranges::find(builds, needed.sha256, &InstalledBuild::sha256);
    if (found == builds.end()) {
        found = std::ranges::find(builds, needed.version, &InstalledBuild::version);
    }
    return found == builds.end() ? builds.front() : *found;
}

void warn_of_other_builds(const std::vector<std::string>& others, const SourceLocation& place,
                          Diagnostics& problems) {
    if (!others.empty()) {
        problems.warning(
            place, "",
            fmt::format("was trained with {} of {}: its numbers may differ in the last bits",
                        others.size() == 1 ? "another build" : "other builds", join(others, ", ")));
    }
}

// Finds the plugins of a bundle among the installed ones: by the hash, then by the version, then by
// the name. No code of a bundle is loaded.
std::vector<fs::path> installed_for(const fs::path& folder, const std::set<std::string>& replaced,
                                    Diagnostics& problems) {
    const auto model = bundle::laid_out_bundle(folder);
    assert(model);
    const SourceLocation place(model->file.string(), 0, 0);
    plugin::SearchPath path = plugin::search_path_here({});
    path.executable = program_path();
    std::vector<plugin::Catalog> folders;
    for (const fs::path& one : plugin::search_folders(path)) {
        folders.push_back(plugin::scan({one}));
    }
    std::vector<fs::path> files;
    std::vector<std::string> others;
    for (const bundle::NeededPlugin& needed : model->manifest.plugins) {
        if (replaced.contains(needed.name)) {
            continue;
        }
        const std::vector<InstalledBuild> builds = builds_of(needed.name, folders);
        if (builds.empty()) {
            problems.error(
                place, "",
                Explanation{fmt::format("needs the plugin '{}' {}, which is not installed",
                                        needed.name, needed.version),
                            fmt::format("ptp-pack install {} where a repository has it, or name "
                                        "its folder: --plugins DIR",
                                        needed.name)});
            continue;
        }
        const InstalledBuild& build = best_of(builds, needed);
        if (build.sha256 != needed.sha256) {
            others.push_back(
                build.version == needed.version
                    ? fmt::format("'{}' {}", needed.name, needed.version)
                    : fmt::format("'{}' {} (here {})", needed.name, needed.version, build.version));
        }
        files.push_back(build.file);
    }
    warn_of_other_builds(others, place, problems);
    return files;
}

}  // namespace

std::vector<fs::path> first_plugins(const fs::path& run, Diagnostics& problems) {
    return chosen(run, {}, {}, problems);
}

std::vector<fs::path> plugins_of(const fs::path& run, const fs::path& checkpoint,
                                 Diagnostics& problems, const std::vector<fs::path>& replacements) {
    const std::set<std::string> replaced = names_in(replacements);
    return bundle::is_laid_out(run)
               ? installed_for(run, replaced, problems)
               : chosen(run, run::recorded_plugins(checkpoint), replaced, problems);
}

}  // namespace ptp::host
