// Chooses the copies of plugins in a run's folder, and compares them with its plugins.lock.

#include "host/run_plugins.hpp"

#include "base/error.hpp"
#include "base/explanation.hpp"
#include "base/file_error.hpp"
#include "base/suggest.hpp"
#include "base/text.hpp"
#include "bundle/bundle.hpp"
#include "host/bundle_plugins.hpp"
#include "plugin/catalog.hpp"
#include "plugin/companions.hpp"
#include "run/checkpoint_record.hpp"
#include "run/paths.hpp"
#include "run/plugins_lock.hpp"

#include <fmt/core.h>

#include <algorithm>
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
    try {
        const std::string change = run::change_of_build(plugin::build_hash(file), hash);
        if (!change.empty()) {
            complain(change + "; --plugins continues with another build");
        }
    } catch (const FileError& error) {
        complain(error.what());
    }
}

// Throws the error of copies that are gone. The fix has the folders of the files that were copied,
// where these are all still there.
void refuse_missing(const fs::path& run, const std::vector<run::LockedGeneration>& missing) {
    std::vector<std::string> names;
    std::set<std::string> folders;
    bool are_all_there = true;
    for (const run::LockedGeneration& generation : missing) {
        const fs::path source = generation.source;
        std::error_code ignored;
        are_all_there = are_all_there && fs::is_regular_file(source, ignored);
        names.push_back(generation.file);
        folders.insert(shell_word(source.parent_path().string()));
    }
    const bool is_one = names.size() == 1;
    throw WithFix<RunError>(
        kPluginError,
        {fmt::format("{}: {} {} missing: {} the run has used", (run / run::kPluginsFolder).string(),
                     joined(names), is_one ? "is" : "are",
                     is_one ? "it is the build that" : "they are the builds that"),
         are_all_there ? "--plugins " + join(folders, " --plugins ") : "--plugins FOLDER"});
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
    std::vector<run::LockedGeneration> missing;
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
        if (!fs::is_regular_file(files.back(), ignored)) {
            missing.push_back(*generation);
        } else {
            check(files.back(), generation->sha256, problems);
        }
    }
    if (!missing.empty()) {
        refuse_missing(run, missing);
    }
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
               ? bundle_plugins(run, replaced, problems)
               : chosen(run, run::recorded_plugins(checkpoint), replaced, problems);
}

}  // namespace ptp::host
