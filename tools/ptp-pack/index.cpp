// Reads and writes the index of a repository, which may be hostile.

#include "base/text.hpp"
#include "base/toml_writer.hpp"
#include "bundle/installed_models.hpp"
#include "bundle/manifest.hpp"
#include "ptp-pack/archive.hpp"
#include "ptp-pack/refuse.hpp"
#include "ptp-pack/repository.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <set>

namespace ptp::pack {

namespace {

constexpr const char* kPackageTables = "packages";
constexpr const char* kModelTables = "models";
constexpr const char* kLibrariesOfEntry = "libraries";

// Such texts are ordered as the moments are.
bool is_utc_text(std::string_view text) {
    constexpr std::string_view kPattern = "0000-00-00T00:00:00Z";
    return std::ranges::equal(text, kPattern, [](char letter, char wanted) {
        return wanted == '0' ? is_digit(letter) : letter == wanted;
    });
}

void check_entry(const IndexEntry& entry, const schema::Scope& scope) {
    check_about(entry.about, scope);
    const SourceLocation place = scope.table.place();
    if (!refuse_path(entry.file).empty() || !is_file_name(entry.file) ||
        !entry.file.ends_with(".ptpkg")) {
        scope.problems.error(place, scope.key("file"),
                             "must be the name of a file, NAME.ptpkg, without a folder");
    }
    if (!is_sha256(entry.sha256)) {
        scope.problems.error(place, scope.key("sha256"), "must be 64 hexadecimal digits");
    }
    if (static_cast<std::uint64_t>(entry.size) > kMaxPackageBytes) {
        scope.problems.error(place, scope.key("size"), "must be at most 2 GiB");
    }
    for (const Library& library : entry.libraries) {
        check_library(library, scope, place);
    }
}

bool can_be_model(const std::string& name) {
    return is_package_name(name) && bundle::is_model_name(name);
}

void check_model(const ModelEntry& model, const schema::Scope& scope) {
    const SourceLocation place = scope.table.place();
    if (!can_be_model(model.name)) {
        scope.problems.error(place, scope.key("name"),
                             "must be at most 64 lower-case letters, digits and '_', a letter "
                             "first, and not 'last' or 'best'");
    }
    if (!is_one_line(model.summary) || !is_one_line(model.license) || !is_one_line(model.author)) {
        scope.problems.error(place, scope.path,
                             "must have texts of one line without control characters");
    }
    if (!is_sha256(model.sha256)) {
        scope.problems.error(place, scope.key("sha256"), "must be 64 hexadecimal digits");
    }
    if (static_cast<std::uint64_t>(model.size) > kMaxModelBytes) {
        scope.problems.error(place, scope.key("size"), "must be at most 16 GiB");
    }
}

// One name is one thing for who installs it.
void check_model_names(const Index& index, const SourceLocation& place, Diagnostics& problems) {
    std::set<std::string> models;
    for (const ModelEntry& model : index.models) {
        if (!models.insert(model.name).second) {
            problems.error(place, kModelTables, fmt::format("'{}' is there twice", model.name));
        }
    }
    for (const IndexEntry& entry : index.packages) {
        if (models.contains(entry.about.name)) {
            problems.error(place, kModelTables,
                           fmt::format("'{}' is the name of a package, too", entry.about.name));
            models.erase(entry.about.name);
        }
    }
}

void check_index(const Index& index, const schema::Scope& scope) {
    const SourceLocation place = scope.table.place();
    if (!is_utc_text(index.published) || !is_utc_text(index.expires)) {
        scope.problems.error(place, "published, expires", "must be times as 2026-11-23T16:00:00Z");
    }
    if (!is_one_line(index.name)) {
        scope.problems.error(place, "name", "must be one line without control characters");
    }
    std::set<std::string> files;
    for (const IndexEntry& entry : index.packages) {
        if (!files.insert(entry.file).second) {
            scope.problems.error(place, kPackageTables,
                                 fmt::format("'{}' is there twice", entry.file));
        }
    }
    check_model_names(index, place, scope.problems);
}

}  // namespace

std::vector<schema::Field> IndexEntry::fields() {
    std::vector<schema::Field> all = about.fields();
    all.push_back({.name = "file", .into = &file, .is_required = true});
    all.push_back({.name = "sha256", .into = &sha256, .is_required = true});
    all.push_back({.name = "size", .into = &size, .range = "[1, inf)", .is_required = true});
    return all;
}

void IndexEntry::read(const schema::Scope& scope) {
    read_with_tables(scope, fields(), Tables{kLibrariesOfEntry, libraries, true});
    check_entry(*this, scope);
}

std::string ModelEntry::file() const {
    return name + bundle::kBundleEnding;
}

std::vector<schema::Field> ModelEntry::fields() {
    return {{.name = "name", .into = &name, .is_required = true},
            {.name = "summary", .into = &summary},
            {.name = "license", .into = &license},
            {.name = "author", .into = &author},
            {.name = "sha256", .into = &sha256, .is_required = true},
            {.name = "size", .into = &size, .range = "[1, inf)", .is_required = true}};
}

void ModelEntry::read(const schema::Scope& scope) {
    schema::read_all_fields(scope, fields());
    check_model(*this, scope);
}

std::vector<schema::Field> Index::fields() {
    return {format_field(format),
            {.name = "name", .into = &name, .is_required = true},
            {.name = "version", .into = &version, .range = "[1, inf)", .is_required = true},
            {.name = "published", .into = &published, .is_required = true},
            {.name = "expires", .into = &expires, .is_required = true}};
}

Index read_index(std::string_view text, const std::string& name) {
    Index index;
    read_document(text, name, kDataError, [&](const schema::Scope& scope) {
        refuse_newer_format(scope, index.format, "ptp-pack");
        read_with_tables(scope, index.fields(), Tables{kPackageTables, index.packages, true},
                         Tables{kModelTables, index.models});
        if (scope.problems.ok()) {
            check_index(index, scope);
        }
    });
    return index;
}

std::string text_of(Index index) {
    Value root = schema::write_fields(index.fields());
    std::vector<Value> packages;
    for (IndexEntry& entry : index.packages) {
        Value table = schema::write_fields(entry.fields());
        table.set(kLibrariesOfEntry, tables_of(entry.libraries));
        packages.push_back(std::move(table));
    }
    root.set(kPackageTables, Value::list(std::move(packages)));
    if (!index.models.empty()) {  // an older ptp-pack reads an index without them
        root.set(kModelTables, tables_of(index.models));
    }
    return to_toml(root);
}

void require_model_name(const std::string& name, const std::string& source) {
    if (!can_be_model(name)) {
        refuse(kConfigurationError,
               {fmt::format("{}: its name cannot be that of an installed model, which is made of "
                            "lower-case letters, digits and '_', and is not 'last' or 'best'",
                            source),
                "rename the file: my_model.ptpm"});
    }
}

void refuse_other_file(const std::string& source) {
    refuse(kDataError,
           {fmt::format("{}: is not the file that the index names: it was changed", source),
            "ask who publishes the repository to publish again"});
}

std::string utc_text(std::time_t when) {
    std::tm parts{};
    gmtime_r(&when, &parts);
    std::array<char, 32> text{};
    const std::size_t size = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
    return {text.data(), size};
}

}  // namespace ptp::pack
