// The declaration of a package: `manifest.toml`, the first file in it. It is written by
// `ptp-pack create` from the manifests of the plugins and the author's package.toml.
#pragma once

#include "base/diagnostics.hpp"
#include "base/error.hpp"
#include "base/ranges.hpp"
#include "base/toml_reader.hpp"
#include "base/value.hpp"
#include "schema/fields.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::pack {

inline constexpr const char* kManifestFile = "manifest.toml";
// The file with the facts of an installed package: see store.hpp. No package has a file of its
// name.
inline constexpr const char* kInstalledFile = "installed.toml";

// A plugin as one build of it.
struct Library {
    std::string path;      // in the package: "plugins/linux-x86_64/libtorch-1.13.1/my_losses.so"
    std::string sha256;    // of the whole file
    std::string build;     // SHA-256 of it with all that travels with it; "" where nothing does
    std::string plugin;    // its name
    std::string version;   // as the plugin declares it
    std::string platform;  // "linux-x86_64"
    std::string abi;       // "1.4"
    std::string libtorch;  // the fingerprint of the manifest; "": without libtorch
    std::string standard_library;
    std::string sanitizer;
    std::vector<std::string> needs;  // libraries of the system, as the dynamic section has them
    std::vector<std::string> components;  // "model LeNet5"

    // Returns the hash that plugins.lock has.
    [[nodiscard]] const std::string& build_hash() const { return build.empty() ? sha256 : build; }

    std::vector<schema::Field> fields();
    friend bool operator==(const Library&, const Library&) = default;
};

struct PackedFile {
    std::string path;
    std::string sha256;
    std::int64_t size = 0;

    std::vector<schema::Field> fields();
    friend bool operator==(const PackedFile&, const PackedFile&) = default;
};

// The facts of a package that people want to know.
struct About {
    std::string name;
    std::string version;
    std::string summary;
    std::string license;  // SPDX
    std::string author;
    std::string homepage;
    schema::Map<std::string> dependencies;  // on packages: a name and a requirement of the version

    std::vector<schema::Field> fields();
};

struct PackageManifest {
    std::int64_t format = 1;
    About about = {};
    std::vector<Library> libraries = {};
    std::vector<PackedFile> files = {};  // all but the manifest, in the order of the archive

    std::vector<schema::Field> fields();
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

// The field of the format's number, which is the one that this ptp-pack writes.
schema::Field format_field(std::int64_t& format);

// Throws RunError with kDataError if the document is of a newer format than `known`.
void refuse_newer_format(const schema::Scope& scope, std::int64_t known);

// A list of tables, each read as a T.
template <class T>
void read_tables(const schema::Scope& scope, schema::Raw list, const char* name,
                 std::vector<T>& into) {
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

template <class T>
Value tables_of(std::vector<T> items) {
    return Value::list(
        transformed(items, [](T& item) { return schema::write_fields(item.fields()); }));
}

// Reports what is wrong with it by itself: names, versions, requirements, texts of several lines.
void check_about(const About& about, const schema::Scope& scope);

// Returns the path of a packed file in an installed package, of whose libraries those in `taken`
// were taken: "plugins/my_losses.so" for such a library, and what travels with it beside it; any
// other file has its path. nullopt for what belongs to other libraries.
std::optional<std::string> installed_path(const std::string& packed,
                                          const std::vector<Library>& libraries,
                                          const std::vector<Library>& taken);

// Checks the declaration of a library: its path, its hash, what it was built for.
void check_library(const Library& library, const schema::Scope& scope, const SourceLocation& place);

// Throws RunError with kDataError and all that is wrong, with places in `name`.
PackageManifest read_package_manifest(std::string_view text, const std::string& name);

// Equal manifests have equal texts.
std::string text_of(PackageManifest manifest);

// "my_losses-1.2.0-linux-x86_64.ptpkg"; "multi" for several platforms.
std::string package_file_name(const PackageManifest& manifest);

// The only platform of the libraries, or "multi".
std::string platform_of(const std::vector<Library>& libraries);

// The folder of the libraries in a package, and of what travels with them.
inline constexpr std::string_view kLibrariesFolder = "plugins/";

// Why a package may have no file of this path, "leads out of the package"; "" if it may.
std::string refuse_path(std::string_view path);

// The first of these paths that is there twice (case does not count), or that is a folder of
// another one; "" if there is none.
std::string colliding_path(std::vector<std::string> paths);

// "my_losses": of a package, which is a folder where it is installed.
bool is_package_name(std::string_view name);

}  // namespace ptp::pack
