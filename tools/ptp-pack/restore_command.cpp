// `ptp-pack restore` and `set`: the builds that a run has used, and the packages that have them.

#include "base/output_file.hpp"
#include "base/ranges.hpp"
#include "base/temporary_path.hpp"
#include "base/text.hpp"
#include "base/toml_writer.hpp"
#include "base/value.hpp"
#include "common/program.hpp"
#include "plugin/companions.hpp"
#include "ptp-pack/common_options.hpp"
#include "ptp-pack/plan.hpp"
#include "ptp-pack/refuse.hpp"
#include "run/paths.hpp"
#include "run/plugins_lock.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace ptp::pack {

namespace {

namespace fs = std::filesystem;

// A build, identified by the hash of its file.
struct NeededBuild {
    std::string plugin;
    std::string version;
    std::string sha256;
    std::string file;  // its name in RUN/plugins

    std::vector<schema::Field> fields() {
        return {{.name = "plugin", .into = &plugin, .is_required = true},
                {.name = "version", .into = &version, .is_required = true},
                {.name = "sha256", .into = &sha256, .is_required = true},
                {.name = "file", .into = &file, .is_required = true}};
    }
};

// A package that contains some of them.
struct SetPackage {
    std::string name;
    std::string version;
    std::string sha256;  // of its file

    std::vector<schema::Field> fields() {
        return {{.name = "name", .into = &name, .is_required = true},
                {.name = "version", .into = &version, .is_required = true},
                {.name = "sha256", .into = &sha256, .is_required = true}};
    }
    friend bool operator==(const SetPackage&, const SetPackage&) = default;
};

constexpr std::int64_t kSetFormat = 1;
constexpr const char* kSetPackages = "packages";
constexpr const char* kSetBuilds = "builds";

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
        for (const run::LockedGeneration& one : plugin.generations) {
            if (std::ranges::find(builds, one.file, &NeededBuild::file) == builds.end()) {
                builds.push_back({plugin.name, one.version, one.sha256, one.file});
            }
        }
    }
    return builds;
}

// Reads the builds of a file that `ptp-pack set` has made. Throws RunError with kDataError.
std::vector<NeededBuild> builds_of_set(const fs::path& file) {
    std::vector<NeededBuild> builds;
    read_document(read_text(file), file.string(), kDataError, [&](const schema::Scope& scope) {
        std::int64_t format = 0;
        std::vector<SetPackage> unused;
        read_with_tables(
            scope, {{.name = "format", .into = &format, .range = "[1, 1]", .is_required = true}},
            Tables{kSetPackages, unused}, Tables{kSetBuilds, builds, true});
        for (const NeededBuild& build : builds) {
            if (!is_file_name(build.file) || !build.file.ends_with(".so") ||
                !is_sha256(build.sha256)) {
                scope.problems.error(
                    scope.table.place(), kSetBuilds,
                    fmt::format("'{}' must be the name of a file, NAME.so, with a sha256 "
                                "of 64 hexadecimal digits",
                                build.file));
            }
        }
    });
    return builds;
}

// The source of a build's file: an installed package, one of a repository, or a folder of plugins,
// such as that of the plugins that come with ptp.
struct BuildSource {
    SetPackage package = {};            // unnamed: in a folder of plugins
    fs::path installed = {};            // the file; empty: not installed
    std::string declared = {};          // the file's hash, where its package has it
    const IndexEntry* entry = nullptr;  // in a repository; nullptr: installed
    std::string location = {};          // of the repository's package
    std::string path = {};              // within that package
};

bool is_whole_file(const fs::path& file, const std::string& hash) {
    std::error_code error;
    return fs::is_regular_file(file, error) && plugin::build_hash(file) == hash;
}

// The builds of installed packages, of folders of plugins, and of repositories.
class KnownBuilds {
public:
    explicit KnownBuilds(const Given& given)
        : sources_(given),
          staging_(TemporaryPath::new_folder()),
          repositories_(sources_.open_repositories(staging_.path())) {
        for (const InstalledPackage& package : sources_.store.list()) {
            for (const Library& library : package.libraries()) {
                installed_.push_back({.package = {package.name, package.manifest.about.version,
                                                  package.origin.sha256},
                                      .installed = package.file_of(library),
                                      .declared = library.build_hash()});
            }
        }
        for (const fs::path& folder : plugin_folders()) {
            std::error_code error;
            if (fs::is_directory(folder, error)) {
                for (const fs::path& file : files_ending_with(folder, ".so")) {
                    installed_.push_back({.installed = file});
                }
            }
        }
    }

    // Searches in that order, ignoring changed files. Returns nullopt if no source has the build.
    [[nodiscard]] std::optional<BuildSource> find(const NeededBuild& build) const {
        for (const BuildSource& source : installed_) {
            if ((source.declared.empty() || source.declared == build.sha256) &&
                is_whole_file(source.installed, build.sha256)) {
                return source;
            }
        }
        for (const OpenRepository& open : repositories_) {
            for (const IndexEntry& entry : open.index.packages) {
                const auto library =
                    std::ranges::find(entry.libraries, build.sha256, &Library::build_hash);
                if (library != entry.libraries.end()) {
                    return BuildSource{
                        .package = {entry.about.name, entry.about.version, entry.sha256},
                        .entry = &entry,
                        .location = location_of(open.repository.location, entry.file),
                        .path = library->path};
                }
            }
        }
        return std::nullopt;
    }

    // Returns the file of a build, whose package is fetched once.
    fs::path file_of(const BuildSource& source) {
        if (source.entry == nullptr) {
            return source.installed;
        }
        Candidate& candidate = fetched_[source.location];
        if (candidate.file.empty()) {
            candidate = {.about = source.entry->about,
                         .libraries = source.entry->libraries,
                         .sha256 = source.entry->sha256,
                         .size = source.entry->size,
                         .source = source.location};
            acquire(candidate, sources_, staging_.path());
        }
        const fs::path folder = candidate.file.parent_path() / "unpacked";
        std::error_code error;
        fs::remove_all(folder, error);
        const std::vector<Library>& all = candidate.libraries;
        const std::vector<Library> wanted = {*std::ranges::find(all, source.path, &Library::path)};
        PackageFile(candidate.file, candidate.source).unpack([&](const PackedFile& file) {
            const auto place = installed_path(file.path, all, wanted);
            return place && place->starts_with(kLibrariesFolder) ? std::optional(folder / *place)
                                                                 : std::nullopt;
        });
        return folder / *installed_path(source.path, all, wanted);
    }

private:
    Sources sources_;
    TemporaryPath staging_;
    std::vector<OpenRepository> repositories_;
    std::vector<BuildSource> installed_;
    std::map<std::string, Candidate> fetched_;  // by location
};

int run_set(const Given& given) {
    const auto output = given.has("output")
                            ? std::optional(tools::output_file(given.text("output"), "toml"))
                            : std::nullopt;
    const KnownBuilds known(given);
    const std::vector<NeededBuild> builds = builds_of_run(given.operands().front());
    std::vector<SetPackage> packages;
    std::string notes;
    for (const NeededBuild& build : builds) {
        const auto source = known.find(build);
        if (!source) {
            notes.insert(
                0, fmt::format("# no package is known that has the build of {}\n", build.plugin));
        } else if (!source->package.name.empty() && !contains(packages, source->package)) {
            packages.push_back(source->package);
        }
    }
    const std::string text =
        notes + to_toml(Value::table({{"format", kSetFormat},
                                      {kSetPackages, tables_of(std::move(packages))},
                                      {kSetBuilds, tables_of(builds)}}));
    if (output) {
        replace_file(*output, text);
    } else {
        fmt::print("{}", text);
    }
    return kDone;
}

// Returns the folder for the files of the builds.
fs::path restored_folder(const Given& given, const fs::path& named, bool is_list) {
    if (is_list && !given.has("to")) {
        throw UsageError("--to FOLDER is needed for a list of packages");
    }
    return given.has("to") ? fs::path(given.text("to")) : named / run::kPluginsFolder;
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
    const fs::path named = given.operands().front();
    const bool is_list = named.extension() == ".toml";
    const fs::path folder = restored_folder(given, named, is_list);
    std::vector<NeededBuild> builds = is_list ? builds_of_set(named) : builds_of_run(named);
    std::erase_if(builds, [&](const NeededBuild& one) {
        return is_whole_file(folder / one.file, one.sha256);
    });
    if (builds.empty()) {
        fmt::print("nothing to do: all builds are in {}\n", folder.string());
        return kDone;
    }
    KnownBuilds known(given);
    std::vector<std::pair<NeededBuild, BuildSource>> found;
    std::vector<NeededBuild> missing;
    for (const NeededBuild& build : builds) {
        if (const auto source = known.find(build)) {
            found.emplace_back(build, *source);
        } else {
            missing.push_back(build);
        }
    }
    if (!missing.empty()) {
        refuse_missing(missing);
    }
    make_folder(folder);
    for (const auto& [build, source] : found) {
        const fs::path to = folder / build.file;
        const fs::path from = known.file_of(source);
        plugin::copy_companions(plugin::companions_of(from), to);
        replace_file(to, read_text(from));
        fmt::print("restored {} from {}\n", to.string(),
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
                                      source_options()}),
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
                                      source_options()}),
            .example = "ptp-pack restore runs/digits/20260101_120000",
            .run = run_restore};
}

}  // namespace ptp::pack
