#include "ptp-pack/package_set.hpp"

#include "base/output_file.hpp"
#include "base/text.hpp"
#include "base/toml_reader.hpp"
#include "base/toml_writer.hpp"
#include "plugin/companions.hpp"
#include "ptp-pack/fetch.hpp"
#include "ptp-pack/refuse.hpp"
#include "run/paths.hpp"
#include "run/plugins_lock.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <system_error>

namespace ptp::pack {

namespace {

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

}  // namespace

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

std::string text_of(const PackageSet& set) {
    return to_toml(Value::table({{"format", kSetFormat},
                                 {kSetPackages, tables_of(set.packages)},
                                 {kSetBuilds, tables_of(set.builds)}}));
}

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

}  // namespace ptp::pack
