// The files that a package declares in its manifest, whether it has plugins (.ptpkg) or a model
// (.ptpm), and how manifests are read.
#pragma once

#include "base/diagnostics.hpp"
#include "base/error.hpp"
#include "base/ranges.hpp"
#include "base/toml_reader.hpp"
#include "base/value.hpp"
#include "experiment/weights_file.hpp"
#include "schema/fields.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::bundle {

inline constexpr const char* kManifestFile = experiment::kBundleManifest;
inline constexpr std::size_t kMaxManifestBytes = std::size_t{4} << 20U;
inline constexpr const char* kFileTables = "files";

struct PackedFile {
    std::string path;
    std::string sha256;
    std::int64_t size = 0;

    std::vector<schema::Field> fields();
    friend bool operator==(const PackedFile&, const PackedFile&) = default;
};

// Reads a TOML document by calling read(scope). Throws RunError with all that is wrong.
template <class Read>
void read_document(std::string_view text, const std::string& name, ExitCode code, Read read) {
    Diagnostics problems;
    if (const auto root = read_toml(text, name, problems)) {
        const schema::ReadOptions unused;
        read(schema::Scope{*root, "", unused, problems});
    }
    if (!problems.ok()) {
        throw RunError(code, problems.text());
    }
}

// The field of the format's number, which is the one that this program writes.
schema::Field format_field(std::int64_t& format);

// Throws RunError with kDataError if the document is of a newer format than `known`, the newest one
// that `program` reads.
void refuse_newer_format(const schema::Scope& scope, std::int64_t known, std::string_view program);

// A list of tables, each read as a T.
template <class T>
struct Tables {
    const char* name;
    std::vector<T>& into;
    bool is_required = false;
    schema::Raw list = nullptr;

    void read(const schema::Scope& scope) const {
        if (list == nullptr) {
            return;
        }
        if (!list->is_list()) {
            scope.problems.error(*list, scope.key(name), "must be a list of tables");
            return;
        }
        for (const Value& item : list->items()) {
            if (!item.is_table()) {
                scope.problems.error(item, scope.key(name), "must be a table");
                continue;
            }
            T& one = into.emplace_back();
            if constexpr (requires { one.read(scope); }) {
                one.read(scope.at(item, name));
            } else {
                schema::read_all_fields(scope.at(item, name), one.fields());
            }
        }
    }
};
template <class T>
Tables(const char*, std::vector<T>&, bool = false) -> Tables<T>;

// Reads the fields of a document, and then the lists of tables that stand beside them.
template <class... T>
void read_with_tables(const schema::Scope& scope, std::vector<schema::Field> fields,
                      Tables<T>... tables) {
    (fields.push_back(
         {.name = tables.name, .into = &tables.list, .is_required = tables.is_required}),
     ...);
    schema::read_all_fields(scope, fields);
    (tables.read(scope), ...);
}

template <class T>
Value tables_of(std::vector<T> items) {
    return Value::list(transformed(items, [](T& item) {
        if constexpr (requires { value_of(item); }) {
            return value_of(item);
        } else {
            return schema::write_fields(item.fields());
        }
    }));
}

// Returns why a package may have no file of this path, "leads out of the package"; "" if it may.
std::string refuse_path(std::string_view path);

// Returns the first of these paths that is there twice (case does not count), or that is a folder
// of another one; "" if there is none.
std::string colliding_path(std::vector<std::string> paths);

// Reports paths and hashes that no package may have, and paths that are there twice, `reserved`
// ones among them.
void check_packed_files(const std::vector<PackedFile>& files,
                        const std::vector<std::string>& reserved, const schema::Scope& scope);

// Returns the place of a key that may be absent.
SourceLocation place_of(const schema::Scope& scope, std::string_view key);

}  // namespace ptp::bundle
