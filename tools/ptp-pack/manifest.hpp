// The declaration of a package: `manifest.toml`, the first file in it. It is written by
// `ptp-pack create` from the manifests of the plugins and the author's package.toml.
#pragma once

#include "bundle/packed_file.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::pack {

using bundle::colliding_path;
using bundle::format_field;
using bundle::kManifestFile;
using bundle::PackedFile;
using bundle::read_document;
using bundle::read_with_tables;
using bundle::refuse_newer_format;
using bundle::refuse_path;
using bundle::Tables;
using bundle::tables_of;

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

// "my_losses": of a package, which is a folder where it is installed.
bool is_package_name(std::string_view name);

}  // namespace ptp::pack
