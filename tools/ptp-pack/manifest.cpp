// Reads and writes the manifest of a package, and checks the paths and names in it.

#include "ptp-pack/manifest.hpp"

#include "base/text.hpp"
#include "base/toml_writer.hpp"
#include "ptp-pack/version.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <utility>

namespace ptp::pack {

namespace {

using bundle::kFileTables;
using bundle::place_of;
using schema::Field;
using schema::Scope;

constexpr const char* kLibraryTables = "libraries";

std::string folder_in(const std::string& path) {
    return path.substr(0, path.rfind('/') + 1);
}

void check_files(const PackageManifest& manifest, const Scope& scope) {
    bundle::check_packed_files(manifest.files, {kManifestFile, kInstalledFile}, scope);
    for (const PackedFile& file : manifest.files) {
        if (bundle::refuse_path(file.path).empty() &&
            !installed_path(file.path, manifest.libraries, manifest.libraries)) {
            scope.problems.error(
                place_of(scope, kFileTables), kFileTables,
                fmt::format("'{}' is in {}, and no library", file.path, kLibrariesFolder));
        }
    }
    for (const Library& library : manifest.libraries) {
        const auto file = std::ranges::find(manifest.files, library.path, &PackedFile::path);
        if (file == manifest.files.end() || file->sha256 != library.sha256) {
            scope.problems.error(place_of(scope, kLibraryTables), kLibraryTables,
                                 fmt::format("'{}' is not among the files", library.path));
        }
    }
}

void check_libraries(const PackageManifest& manifest, const Scope& scope) {
    const SourceLocation place = place_of(scope, kLibraryTables);
    if (manifest.libraries.empty()) {
        scope.problems.error(place, kLibraryTables, "must have at least one library");
    }
    std::set<std::string> builds;
    for (const Library& library : manifest.libraries) {
        check_library(library, scope, place);
        if (!library.path.starts_with(kLibrariesFolder)) {
            scope.problems.error(place, kLibraryTables,
                                 fmt::format("'{}' must be in {}", library.path, kLibrariesFolder));
        }
        const std::string build =
            join(std::vector{library.plugin, library.platform, library.libtorch,
                             library.standard_library, library.sanitizer, library.abi},
                 "\n");
        if (!builds.insert(build).second) {
            scope.problems.error(
                place, kLibraryTables,
                fmt::format("plugin '{}' is there twice for {} and the same libtorch",
                            library.plugin, library.platform));
        }
    }
}

constexpr std::size_t kMaxPackageName = 64;

}  // namespace

std::vector<Field> Library::fields() {
    return {{.name = "path", .into = &path, .is_required = true},
            {.name = "sha256", .into = &sha256, .is_required = true},
            {.name = "build", .into = &build},
            {.name = "plugin", .into = &plugin, .is_required = true},
            {.name = "version", .into = &version, .is_required = true},
            {.name = "platform", .into = &platform, .is_required = true},
            {.name = "abi", .into = &abi, .is_required = true},
            {.name = "libtorch", .into = &libtorch},
            {.name = "standard_library", .into = &standard_library},
            {.name = "sanitizer", .into = &sanitizer, .is_required = true},
            {.name = "needs", .into = &needs},
            {.name = "components", .into = &components}};
}

std::vector<Field> About::fields() {
    return {
        {.name = "name", .into = &name, .help = "lower-case letters, digits and '_'"},
        {.name = "version", .into = &version, .help = "as 1.2.0 or 1.2.0-rc.1"},
        {.name = "summary", .into = &summary, .help = "one line"},
        {.name = "license", .into = &license, .help = "an SPDX expression"},
        {.name = "author", .into = &author},
        {.name = "homepage", .into = &homepage},
        {.name = "dependencies",
         .into = &dependencies,
         .help = "packages that it needs, each with a requirement such as \">=1.2.0, <2.0.0\""}};
}

void check_about(const About& about, const Scope& scope) {
    const auto report = [&](const char* key, const std::string& what) {
        if (const Value* value = scope.table.find(key)) {
            scope.problems.error(*value, scope.key(key), what);
        } else {
            scope.problems.error(scope.table.place(), scope.key(key), what);
        }
    };
    if (!is_package_name(about.name)) {
        report("name", "must be at most 64 lower-case letters, digits and '_', a letter first");
    }
    if (!parse_version(about.version)) {
        report("version", "must be a version such as 1.2.0 or 1.2.0-rc.1");
    }
    const std::pair<const char*, const std::string*> texts[] = {{"summary", &about.summary},
                                                                {"license", &about.license},
                                                                {"author", &about.author},
                                                                {"homepage", &about.homepage}};
    for (const auto& [key, text] : texts) {
        if (!is_one_line(*text)) {
            report(key, "must be one line without control characters");
        }
    }
    for (const auto& dependency : about.dependencies) {
        const std::string key = scope.key("dependencies") + "." + dependency.key;
        if (!is_package_name(dependency.key) || dependency.key == about.name) {
            scope.problems.error(dependency.key_place, key, "must be the name of another package");
        }
        if (!is_requirement(dependency.value)) {
            scope.problems.error(dependency.place, key,
                                 Explanation{"must be a requirement of a version",
                                             "write \"*\", \">=1.2.0\" or \">=1.2.0, <2.0.0\""});
        }
    }
}

void check_library(const Library& library, const Scope& scope, const SourceLocation& place) {
    const auto report = [&](const std::string& what) {
        scope.problems.error(place, kLibraryTables, fmt::format("'{}' {}", library.path, what));
    };
    if (const std::string why = refuse_path(library.path); !why.empty()) {
        report(why);
    }
    if (!is_sha256(library.sha256) || !is_sha256(library.build_hash())) {
        report("must have a sha256 of 64 hexadecimal digits");
    }
    if (!is_type_name(library.plugin)) {
        report("must have a plugin with a name of letters, digits and '_'");
    }
    std::vector<std::string> texts = {library.version,   library.platform,
                                      library.abi,       library.standard_library,
                                      library.sanitizer, library.libtorch};
    texts.insert(texts.end(), library.needs.begin(), library.needs.end());
    texts.insert(texts.end(), library.components.begin(), library.components.end());
    if (!std::ranges::all_of(texts, [](const std::string& text) { return is_one_line(text); })) {
        report("must have texts of one line without control characters");
    }
}

std::vector<Field> PackageManifest::fields() {
    std::vector<Field> all = about.fields();
    all.insert(all.begin(), format_field(format));
    return all;
}

PackageManifest read_package_manifest(std::string_view text, const std::string& name) {
    PackageManifest manifest;
    read_document(text, name, kDataError, [&](const Scope& scope) {
        refuse_newer_format(scope, manifest.format, "ptp-pack");
        read_with_tables(scope, manifest.fields(), Tables{kLibraryTables, manifest.libraries, true},
                         Tables{kFileTables, manifest.files, true});
        if (scope.problems.ok()) {
            check_about(manifest.about, scope);
            check_libraries(manifest, scope);
            check_files(manifest, scope);
        }
    });
    return manifest;
}

std::string text_of(PackageManifest manifest) {
    Value root = schema::write_fields(manifest.fields());
    root.set(kLibraryTables, tables_of(manifest.libraries));
    root.set(kFileTables, tables_of(manifest.files));
    return to_toml(root);
}

std::optional<std::string> installed_path(const std::string& packed,
                                          const std::vector<Library>& libraries,
                                          const std::vector<Library>& taken) {
    if (!packed.starts_with(kLibrariesFolder)) {
        return packed;
    }
    const auto is_it = [&](const Library& library) { return library.path == packed; };
    if (const auto library = std::ranges::find_if(taken, is_it); library != taken.end()) {
        return fmt::format("{}{}.so", kLibrariesFolder, library->plugin);
    }
    const auto beside = std::ranges::find_if(
        taken, [&](const Library& library) { return packed.starts_with(folder_in(library.path)); });
    return beside == taken.end() || std::ranges::any_of(libraries, is_it)
               ? std::nullopt
               : std::optional(fmt::format("{}{}", kLibrariesFolder,
                                           packed.substr(folder_in(beside->path).size())));
}

std::string platform_of(const std::vector<Library>& libraries) {
    std::set<std::string> platforms;
    for (const Library& library : libraries) {
        platforms.insert(library.platform);
    }
    return platforms.size() == 1 ? *platforms.begin() : "multi";
}

std::string package_file_name(const PackageManifest& manifest) {
    return fmt::format("{}-{}-{}.ptpkg", manifest.about.name, manifest.about.version,
                       platform_of(manifest.libraries));
}

bool is_package_name(std::string_view name) {
    return is_snake_case(name) && name.size() <= kMaxPackageName;
}

}  // namespace ptp::pack
