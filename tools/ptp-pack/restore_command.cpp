// `ptp-pack restore` and `set`: the builds that a run has used, and the packages that have them.

#include "base/error.hpp"
#include "base/output_file.hpp"
#include "base/temporary_path.hpp"
#include "base/text.hpp"
#include "base/toml_reader.hpp"
#include "base/toml_writer.hpp"
#include "base/value.hpp"
#include "common/program.hpp"
#include "plugin/companions.hpp"
#include "ptp-pack/common_options.hpp"
#include "ptp-pack/fetch.hpp"
#include "ptp-pack/manifest.hpp"
#include "ptp-pack/plan.hpp"
#include "ptp-pack/refuse.hpp"
#include "ptp-pack/repository.hpp"
#include "ptp-pack/store.hpp"
#include "run/paths.hpp"
#include "run/plugins_lock.hpp"
#include "schema/fields.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

namespace ptp::pack {

namespace {

// A build, identified by the hash of its file.
struct NeededBuild {
    std::string plugin;
    std::string version;
    std::string sha256;
    std::string file;  // its name in RUN/plugins

    std::vector<schema::Field> fields();
};

// A package that contains some of them.
struct SetPackage {
    std::string name;
    std::string version;
    std::string sha256;  // of its file

    std::vector<schema::Field> fields();
    friend bool operator==(const SetPackage&, const SetPackage&) = default;
};

struct PackageSet {
    std::vector<SetPackage> packages;
    std::vector<NeededBuild> builds;
};

// The source of a build's file: an installed package, one of a repository, or a folder of plugins,
// such as that of the plugins that come with ptp.
struct BuildSource {
    SetPackage package = {};               // unnamed: in a folder of plugins
    std::filesystem::path installed = {};  // the file; empty: not installed
    const IndexEntry* entry = nullptr;     // in a repository; nullptr: installed
    std::string location = {};             // of the repository's package
    std::string path = {};                 // within that package
};

struct KnownBuilds {
    const std::vector<InstalledPackage>& installed;
    const std::vector<std::filesystem::path>& folders;  // of plugins
    const std::vector<OpenRepository>& repositories;
};

namespace fs = std::filesystem;

constexpr std::int64_t kSetFormat = 1;
constexpr const char* kSetPackages = "packages";
constexpr const char* kSetBuilds = "builds";

bool is_whole_file(const fs::path& file, const std::string& hash) {
    std::error_code error;
    return fs::is_regular_file(file, error) && plugin::build_hash(file) == hash;
}

std::optional<BuildSource> installed_source(const NeededBuild& build,
                                            const std::vector<InstalledPackage>& installed) {
    for (const InstalledPackage& package : installed) {
        for (const Library& library : package.libraries()) {
            const fs::path file = package.file_of(library);
            if (library.build_hash() == build.sha256 && is_whole_file(file, build.sha256)) {
                return BuildSource{.package = {package.name, package.manifest.about.version,
                                               package.origin.sha256},
                                   .installed = file};
            }
        }
    }
    return std::nullopt;
}

std::optional<BuildSource> folder_source(const NeededBuild& build,
                                         const std::vector<fs::path>& folders) {
    for (const fs::path& folder : folders) {
        std::error_code error;
        if (!fs::is_directory(folder, error)) {
            continue;
        }
        for (const fs::directory_entry& entry : entries_of(folder)) {
            if (entry.path().extension() == ".so" && is_whole_file(entry.path(), build.sha256)) {
                return BuildSource{.installed = entry.path()};
            }
        }
    }
    return std::nullopt;
}

std::vector<schema::Field> NeededBuild::fields() {
    return {{.name = "plugin", .into = &plugin, .is_required = true},
            {.name = "version", .into = &version, .is_required = true},
            {.name = "sha256", .into = &sha256, .is_required = true},
            {.name = "file", .into = &file, .is_required = true}};
}

std::vector<schema::Field> SetPackage::fields() {
    return {{.name = "name", .into = &name, .is_required = true},
            {.name = "version", .into = &version, .is_required = true},
            {.name = "sha256", .into = &sha256, .is_required = true}};
}

// Returns all builds of plugins.lock in the folder of a run. Throws RunError.
std::vector<NeededBuild> builds_of_run(const fs::path& run) {
    const fs::path lock = run / run::kPluginsLockFile;
    std::error_code error;
    if (!fs::exists(lock, error)) {
        refuse(kDataError, {fmt::format("{}: has no {}: it is not the folder of a run",
                                        run.string(), run::kPluginsLockFile),
                            "name the folder that has it, RUN"});
    }
    std::vector<NeededBuild> builds;
    for (const run::LockedPlugin& plugin : run::read_plugins_lock(lock).plugins) {
        for (const run::LockedGeneration& generation : plugin.generations) {
            const bool is_known =
                std::ranges::find(builds, generation.file, &NeededBuild::file) != builds.end();
            if (!is_known) {
                builds.push_back(
                    {plugin.name, generation.version, generation.sha256, generation.file});
            }
        }
    }
    return builds;
}

// Reads a file made by set_text(). Throws RunError with kDataError.
PackageSet read_package_set(const fs::path& file) {
    PackageSet set;
    Diagnostics problems;
    if (const auto root = read_toml(read_text(file), file.string(), problems)) {
        const schema::ReadOptions unused;
        const schema::Scope scope{*root, "", unused, problems};
        std::int64_t format = 0;
        schema::Raw packages = nullptr;
        schema::Raw builds = nullptr;
        schema::read_all_fields(
            scope, {{.name = "format", .into = &format, .range = "[1, 1]", .is_required = true},
                    {.name = kSetPackages, .into = &packages},
                    {.name = kSetBuilds, .into = &builds, .is_required = true}});
        read_tables(scope, packages, kSetPackages, set.packages);
        read_tables(scope, builds, kSetBuilds, set.builds);
        for (const NeededBuild& build : set.builds) {
            if (!is_file_name(build.file) || !build.file.ends_with(".so") ||
                !is_sha256(build.sha256)) {
                problems.error(
                    root->place(), kSetBuilds,
                    fmt::format("'{}' must be the name of a file, NAME.so, with a sha256 "
                                "of 64 hexadecimal digits",
                                build.file));
            }
        }
    }
    if (!problems.ok()) {
        throw RunError(kDataError, problems.text());
    }
    return set;
}

std::string set_text(const PackageSet& set) {
    return to_toml(Value::table({{"format", kSetFormat},
                                 {kSetPackages, tables_of(set.packages)},
                                 {kSetBuilds, tables_of(set.builds)}}));
}

// Searches in that order, ignoring changed files. Returns nullopt if no source has the build.
std::optional<BuildSource> find_build(const NeededBuild& build, const KnownBuilds& known) {
    if (auto source = installed_source(build, known.installed)) {
        return source;
    }
    if (auto source = folder_source(build, known.folders)) {
        return source;
    }
    for (const OpenRepository& open : known.repositories) {
        for (const IndexEntry& entry : open.index.packages) {
            const auto library =
                std::ranges::find(entry.libraries, build.sha256, &Library::build_hash);
            if (library != entry.libraries.end()) {
                return BuildSource{.package = {entry.about.name, entry.about.version, entry.sha256},
                                   .entry = &entry,
                                   .location = location_of(open.repository.location, entry.file),
                                   .path = library->path};
            }
        }
    }
    return std::nullopt;
}

int run_set(const Given& given) {
    const auto output = given.has("output")
                            ? std::optional(tools::output_file(given.text("output")))
                            : std::nullopt;
    const Folders folders = folders_here();
    const TrustedKeys keys = chosen_keys(given, folders);
    const TemporaryPath staging = TemporaryPath::new_folder();
    const std::vector<InstalledPackage> installed = chosen_store(given, folders).list();
    const std::vector<OpenRepository> repositories =
        open_repositories({given, folders, keys, staging.path()});
    PackageSet set{.packages = {}, .builds = builds_of_run(given.operands().front())};
    Strings unknown;
    for (const NeededBuild& build : set.builds) {
        const auto source = find_build(build, {installed, plugin_folders(), repositories});
        if (!source) {
            unknown.push_back(build.plugin);
        } else if (!source->package.name.empty() &&
                   std::ranges::find(set.packages, source->package) == set.packages.end()) {
            set.packages.push_back(source->package);
        }
    }
    std::string text = set_text(set);
    for (const std::string& plugin : unknown) {
        text = fmt::format("# no package is known that has the build of {}\n", plugin) + text;
    }
    if (output) {
        replace_file(*output, text);
    } else {
        fmt::print("{}", text);
    }
    return kDone;
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
        return !is_whole_file(wanted.folder / one.file, one.sha256);
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

Command set_command() {
    return {.name = "set",
            .summary = "lists the packages with the plugins of a run",
            .details =
                "As TOML: the builds that it has locked, and the packages, installed or in\n"
                "repositories, that have them. ptp-pack restore takes the file.\n",
            .operands = {{.name = "RUN", .what = "a run folder", .completions = {tools::kFolders}}},
            .options = tools::concat({{{.name = "output,o",
                                        .value = "FILE.toml",
                                        .help = "write the list to this file",
                                        .completions = {tools::kFiles}}},
                                      repository_options(),
                                      trust_options(),
                                      store_options()}),
            .example = "ptp-pack set runs/digits/20260101_120000 -o plugins.toml",
            .run = run_set};
}

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
