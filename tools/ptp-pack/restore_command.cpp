#include "base/error.hpp"
#include "base/output_file.hpp"
#include "base/temporary_path.hpp"
#include "plugin/companions.hpp"
#include "ptp-pack/common_options.hpp"
#include "ptp-pack/entry_path.hpp"
#include "ptp-pack/install.hpp"
#include "ptp-pack/package_set.hpp"
#include "ptp-pack/refuse.hpp"
#include "run/paths.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <system_error>

namespace ptp::pack {

namespace {

namespace fs = std::filesystem;

bool is_restored(const fs::path& file, const NeededBuild& build) {
    std::error_code error;
    return fs::is_regular_file(file, error) && plugin::build_hash(file) == build.sha256;
}

// The files that packages of repositories have, each package fetched once.
class FetchedBuilds {
public:
    explicit FetchedBuilds(const Acquisition& how) : how_(how) {}

    fs::path file_of(const BuildSource& source) {
        Candidate& candidate = fetched_[source.location];
        if (candidate.file.empty()) {
            candidate = {.about = source.entry->about,
                         .libraries = source.entry->libraries,
                         .sha256 = source.entry->sha256,
                         .size = source.entry->size,
                         .source = source.location};
            acquire(candidate, how_);
        }
        const fs::path folder = candidate.file.parent_path() / "unpacked";
        std::error_code error;
        fs::remove_all(folder, error);
        PackageFile package(candidate.file, candidate.source);
        const std::vector<Library>& all = candidate.libraries;
        const std::vector<Library> wanted = {*std::ranges::find(all, source.path, &Library::path)};
        package.unpack([&](const PackedFile& file) {
            const auto place = installed_path(file.path, all, wanted);
            return place && place->starts_with(kLibrariesFolder) ? std::optional(folder / *place)
                                                                 : std::nullopt;
        });
        return folder / *installed_path(source.path, all, wanted);
    }

private:
    const Acquisition& how_;
    std::map<std::string, Candidate> fetched_;
};

struct Wanted {
    std::vector<NeededBuild> builds;
    fs::path folder;  // where their files go
};

Wanted wanted_builds(const Given& given) {
    const fs::path word = given.operands().front();
    if (word.extension() == ".toml") {
        if (!given.has("to")) {
            throw UsageError("--to FOLDER is needed for a list of packages");
        }
        return {read_package_set(word).builds, given.text("to")};
    }
    const fs::path own = word / run::kPluginsFolder;
    return {builds_of_run(word), given.has("to") ? fs::path(given.text("to")) : own};
}

[[noreturn]] void refuse_missing(const std::vector<NeededBuild>& missing) {
    std::string list;
    for (const NeededBuild& build : missing) {
        list += fmt::format("\n    {} {}, sha256 {}", build.plugin, build.version, build.sha256);
    }
    refuse(kPluginError, {fmt::format("no package is known that has {}:{}",
                                      missing.size() == 1 ? "this build" : "these builds", list),
                          "name a repository that has it, --repository LOCATION, or continue with "
                          "another build: ptprun resume RUN --plugins DIR"});
}

int run_restore(const Given& given) {
    const Folders folders = folders_here();
    const TrustedKeys keys = chosen_keys(given, folders);
    const Wanted wanted = wanted_builds(given);
    std::vector<NeededBuild> missing;
    std::ranges::copy_if(wanted.builds, std::back_inserter(missing), [&](const NeededBuild& one) {
        return !is_restored(wanted.folder / one.file, one);
    });
    if (missing.empty()) {
        fmt::print("nothing to do: all builds are in {}\n", wanted.folder.string());
        return kDone;
    }
    const TemporaryPath staging = TemporaryPath::new_folder();
    const std::vector<InstalledPackage> installed = chosen_store(given, folders).list();
    const std::vector<OpenRepository> repositories =
        open_repositories({given, folders, keys, staging.path()});
    const std::vector<fs::path> folders_of_plugins = plugin_folders();
    std::vector<std::pair<NeededBuild, BuildSource>> found;
    std::vector<NeededBuild> unknown;
    for (const NeededBuild& build : missing) {
        if (const auto source = find_build(build, {installed, folders_of_plugins, repositories})) {
            found.emplace_back(build, *source);
        } else {
            unknown.push_back(build);
        }
    }
    if (!unknown.empty()) {
        refuse_missing(unknown);
    }
    const Acquisition how{keys, chosen_strictness(given), staging.path()};
    FetchedBuilds fetched(how);
    std::error_code error;
    fs::create_directories(wanted.folder, error);
    for (const auto& [build, source] : found) {
        const fs::path from = source.installed.empty() ? fetched.file_of(source) : source.installed;
        plugin::copy_companions(plugin::companions_of(from), wanted.folder / build.file);
        replace_file(wanted.folder / build.file, read_text(from));
        fmt::print("restored {} from {}\n", (wanted.folder / build.file).string(),
                   source.package.name.empty()
                       ? from.string()
                       : source.package.name + " " + source.package.version);
    }
    return kDone;
}

}  // namespace

Command restore_command() {
    return {.name = "restore",
            .summary = "puts back the plugins that a run has used",
            .details =
                "Exactly the builds that it has locked, by their hashes, from installed packages, "
                "folders of\nplugins and repositories, into RUN/plugins; ptprun resume and replay "
                "then find them. Instead\nof a run a list that ptp-pack set has written.\n",
            .operands = {{.name = "RUN|FILE.toml",
                          .what = "a run folder",
                          .completions = {tools::kFolders}}},
            .options = tools::concat({{{.name = "to",
                                        .value = "FOLDER",
                                        .help = "put them into this folder",
                                        .completions = {tools::kFolders}}},
                                      repository_options(),
                                      trust_options(),
                                      store_options()}),
            .example = "ptp-pack restore runs/digits/20260101_120000",
            .run = run_restore};
}

}  // namespace ptp::pack
