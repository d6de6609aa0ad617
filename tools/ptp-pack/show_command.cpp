#include "base/error.hpp"
#include "base/text.hpp"
#include "ptp-pack/archive.hpp"
#include "ptp-pack/common_options.hpp"
#include "ptp-pack/libraries.hpp"
#include "ptp-pack/refuse.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

namespace ptp::pack {

namespace {

namespace fs = std::filesystem;

void print_fact(const char* what, const std::string& value) {
    if (!value.empty()) {
        fmt::print("  {:<14}{}\n", what, value);
    }
}

void print_library(const Library& library, const PackageManifest& manifest, bool is_used) {
    fmt::print("  {:<14}{} {}, {}, ABI {}, {}{}\n", "plugin", library.plugin, library.version,
               library.platform, library.abi,
               library.libtorch.empty() ? "any libtorch" : "libtorch " + library.libtorch,
               is_used ? " (for this host)" : "");
    print_fact("  components", join(library.components, ", "));
    print_fact("  libraries", join(library.needs, ", "));
    if (is_used) {
        print_fact("  not found", join(missing_libraries(library, manifest.files), ", "));
    }
}

void print_manifest(const PackageManifest& manifest, const std::vector<Library>& used) {
    const About& about = manifest.about;
    fmt::print("{} {}\n", about.name, about.version);
    print_fact("summary", about.summary);
    print_fact("license", about.license);
    print_fact("author", about.author);
    print_fact("homepage", about.homepage);
    for (const auto& dependency : about.dependencies) {
        print_fact("needs", dependency.key + " " + dependency.value);
    }
    for (const Library& library : manifest.libraries) {
        print_library(library, manifest, std::ranges::find(used, library) != used.end());
    }
    for (const PackedFile& file : manifest.files) {
        print_fact("file", fmt::format("{} ({} bytes)", file.path, file.size));
    }
}

void show_one(const std::string& name, const Store& store) {
    if (name.ends_with(".ptpkg") || name.find('/') != std::string::npos) {
        const PackageFile package(name, name);
        const auto& libraries = package.manifest().libraries;
        print_manifest(package.manifest(), fits_host(libraries) ? choose_libraries(libraries, name)
                                                                : std::vector<Library>());
        return;
    }
    const auto package = store.find(name);
    if (!package) {
        refuse_not_installed(name, store.list());
    }
    if (!package->problem.empty()) {
        throw RunError(kDataError, package->problem);
    }
    print_manifest(package->manifest, package->libraries());
    print_fact("folder", package->folder.string());
    print_fact("from", package->origin.source);
    print_fact("signed", signed_text(package->origin.signed_by));
}

int run_show(const Given& given) {
    const Store store = chosen_store(given, folders_here());
    for (const std::string& name : given.operands()) {
        show_one(name, store);
    }
    return kDone;
}

}  // namespace

Command show_command() {
    return {.name = "show",
            .summary = "shows what a package declares",
            .details = "Of a file nothing but its manifest is read, and no signature is checked.\n",
            .operands = {{.name = "FILE|NAME",
                          .what = "a package",
                          .max = kMaxOperands,
                          .completions = {tools::kFiles}}},
            .options = store_options(),
            .example = "ptp-pack show my_losses",
            .run = run_show};
}

}  // namespace ptp::pack
