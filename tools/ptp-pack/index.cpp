// Reads and writes the index of a repository, which may be hostile.

#include "ptp-pack/repository.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/toml_reader.hpp"
#include "base/toml_writer.hpp"
#include "ptp-pack/archive.hpp"
#include "ptp-pack/refuse.hpp"

#include <fmt/core.h>

#include <array>
#include <set>
#include <utility>

namespace ptp::pack {

namespace {

constexpr std::int64_t kIndexFormat = 1;
constexpr const char* kPackageTables = "packages";
constexpr const char* kLibrariesOfEntry = "libraries";

std::vector<schema::Field> index_fields(Index& index) {
    return {{.name = "name", .into = &index.name, .is_required = true},
            {.name = "version", .into = &index.version, .range = "[1, inf)", .is_required = true},
            {.name = "published", .into = &index.published, .is_required = true},
            {.name = "expires", .into = &index.expires, .is_required = true}};
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

IndexEntry read_entry(const schema::Scope& scope) {
    IndexEntry entry;
    schema::Raw libraries = nullptr;
    std::vector<schema::Field> fields = entry.fields();
    fields.push_back({.name = kLibrariesOfEntry, .into = &libraries, .is_required = true});
    schema::read_all_fields(scope, fields);
    read_tables(scope, libraries, kLibrariesOfEntry, entry.libraries);
    check_entry(entry, scope);
    return entry;
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
}

void read_index_root(const Value& root, Index& index, Diagnostics& problems) {
    const schema::ReadOptions unused;
    const schema::Scope scope{root, "", unused, problems};
    std::int64_t format = 0;
    schema::Raw packages = nullptr;
    std::vector<schema::Field> fields = index_fields(index);
    fields.push_back({.name = "format", .into = &format, .range = "[1, inf)", .is_required = true});
    fields.push_back({.name = kPackageTables, .into = &packages, .is_required = true});
    schema::read_all_fields(scope, fields);
    if (packages == nullptr || !packages->is_list()) {
        problems.error(root.place(), kPackageTables, "must be a list of tables");
        return;
    }
    for (const Value& item : packages->items()) {
        if (item.is_table()) {
            index.packages.push_back(read_entry(scope.at(item, kPackageTables)));
        } else {
            problems.error(item, kPackageTables, "must be a table");
        }
    }
    if (problems.ok()) {
        check_index(index, scope);
    }
}

}  // namespace

std::vector<schema::Field> IndexEntry::fields() {
    std::vector<schema::Field> all = about.fields();
    all.push_back({.name = "file", .into = &file, .is_required = true});
    all.push_back({.name = "sha256", .into = &sha256, .is_required = true});
    all.push_back({.name = "size", .into = &size, .range = "[1, inf)", .is_required = true});
    return all;
}

Index read_index(std::string_view text, const std::string& name) {
    Index index;
    Diagnostics problems;
    if (const auto root = read_toml(text, name, problems)) {
        if (const Value* format = root->find("format");
            format != nullptr && format->is_integer() && format->as_integer() > kIndexFormat) {
            refuse(kDataError, {fmt::format("{}: is of format {}, this ptp-pack reads {}", name,
                                            format->as_integer(), kIndexFormat),
                                "use a newer ptp"});
        }
        read_index_root(*root, index, problems);
    }
    if (!problems.ok()) {
        throw RunError(kDataError, problems.text());
    }
    return index;
}

std::string text_of(const Index& index) {
    Index copy = index;
    Value root = Value::table({{"format", kIndexFormat}});
    Value written = schema::write_fields(index_fields(copy));
    for (Member& member : written.members()) {
        root.set(member.key, std::move(member.value));
    }
    std::vector<Value> packages;
    for (IndexEntry& entry : copy.packages) {
        Value table = schema::write_fields(entry.fields());
        table.set(kLibrariesOfEntry, tables_of(entry.libraries));
        packages.push_back(std::move(table));
    }
    root.set(kPackageTables, Value::list(std::move(packages)));
    return to_toml(root);
}

std::string utc_text(std::time_t when) {
    std::tm parts{};
    gmtime_r(&when, &parts);
    std::array<char, 32> text{};
    const std::size_t size = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
    return {text.data(), size};
}

bool is_utc_text(std::string_view text) {
    constexpr std::string_view kPattern = "0000-00-00T00:00:00Z";
    if (text.size() != kPattern.size()) {
        return false;
    }
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool is_digit = text[i] >= '0' && text[i] <= '9';
        if (kPattern[i] == '0' ? !is_digit : text[i] != kPattern[i]) {
            return false;
        }
    }
    return true;
}

}  // namespace ptp::pack
