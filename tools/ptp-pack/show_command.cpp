// `ptp-pack list`, `show`, `search` and `verify`, which change nothing.

#include "base/error.hpp"
#include "base/output_file.hpp"
#include "base/sha256.hpp"
#include "base/suggest.hpp"
#include "base/temporary_path.hpp"
#include "base/text.hpp"
#include "bundle/bundle.hpp"
#include "bundle/show.hpp"
#include "ptp-pack/archive.hpp"
#include "ptp-pack/common_options.hpp"
#include "ptp-pack/libraries.hpp"
#include "ptp-pack/manifest.hpp"
#include "ptp-pack/models.hpp"
#include "ptp-pack/refuse.hpp"
#include "ptp-pack/version.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <system_error>

namespace ptp::pack {

namespace {

namespace fs = std::filesystem;

constexpr const char* kModelText = "model";  // in lists, in place of a version

std::string files_text(std::size_t count) {
    return fmt::format("{} {}", count, count == 1 ? "file" : "files");
}

void verify_file(const std::string& file, const Given& given) {
    const SignedBy by = check_signature({file, hash_of_file(file), file + kSignatureEnding},
                                        chosen_keys(given), chosen_strictness(given));
    std::string content;
    if (fs::path(file).extension() == ".ptpkg") {
        PackageFile package(file, file);
        package.check();
        const About& about = package.manifest().about;
        content = fmt::format(": {} {}, {}", about.name, about.version,
                              files_text(package.manifest().files.size()));
    }
    if (fs::path(file).extension() == bundle::kBundleEnding) {
        const bundle::BundleFile model(file);
        model.check();
        content = fmt::format(": {}, {}", model.manifest().name,
                              files_text(model.manifest().files.size()));
    }
    const std::string signer =
        by.key.empty() ? "unsigned"
                       : fmt::format("signed with the key {} ({})", by.key, by.trusted_comment);
    fmt::print("{}: {}{}\n", file, signer, content);
}

InstalledPackage found_package(const std::string& name, const Store& store) {
    const auto package = store.find(name);
    if (!package) {
        refuse_not_installed(name, store.list());
    }
    if (!package->problem.empty()) {
        throw RunError(kDataError, package->problem);
    }
    return *package;
}

// All but folders, in order.
std::set<fs::path> files_below(const fs::path& folder) {
    std::set<fs::path> files;
    std::error_code error;
    for (fs::recursive_directory_iterator it(folder, error), end; !error && it != end;
         it.increment(error)) {
        if (it->is_symlink() || !it->is_directory()) {
            files.insert(it->path());
        }
    }
    if (error) {
        refuse(kDataError, {fmt::format("cannot read {}: {}", folder.string(), error.message())});
    }
    return files;
}

// The files of an installed package against its manifest.
void verify_installed(const InstalledPackage& package) {
    const auto damaged = [&](const fs::path& file, const char* what) {
        refuse(kDataError, {fmt::format("{}: {}", file.string(), what),
                            "install it again, after this: ptp-pack remove " + package.name});
    };
    std::set<fs::path> known = {package.folder / kManifestFile, package.folder / kInstalledFile};
    for (const PackedFile& packed : package.manifest.files) {
        const auto place =
            installed_path(packed.path, package.manifest.libraries, package.libraries());
        if (!place) {
            continue;
        }
        const fs::path file = package.folder / *place;
        std::error_code error;
        if (!fs::is_regular_file(file, error) || fs::is_symlink(file, error)) {
            damaged(file, "is missing");
        }
        if (sha256(read_text(file)) != packed.sha256) {
            damaged(file, "was changed after it was installed");
        }
        known.insert(file);
    }
    for (const fs::path& file : files_below(package.folder)) {
        if (!known.contains(file)) {
            damaged(file, "is not of the package: it was added after it was installed");
        }
    }
    constexpr std::size_t kOwnFiles = 2;  // that no manifest has
    fmt::print("{} {}: {} as installed, {}\n", package.name, package.manifest.about.version,
               files_text(known.size() - kOwnFiles), signed_text(package.origin.signed_by));
}

int run_verify(const Given& given) {
    const Store store = chosen_store(given);
    for (const std::string& name : given.operands()) {
        std::error_code error;
        const bool is_name = name.find_first_of("./") == std::string::npos;
        if (const auto model =
                store.find(name) ? std::nullopt : model_named(name, chosen_models(given))) {
            verify_file(model->string(), given);
            continue;
        }
        if (!is_name || (fs::exists(name, error) && !fs::is_directory(name, error))) {
            verify_file(name, given);
        } else {
            verify_installed(found_package(name, store));
        }
    }
    return kDone;
}

std::string summary_of(const fs::path& model) {
    try {
        const bundle::BundleFile file(model);
        return file.manifest().summary.empty() ? file.manifest().name : file.manifest().summary;
    } catch (const RunError& error) {
        return fmt::format("damaged: {}", error.what());
    }
}

int run_list(const Given& given) {
    const Store store = chosen_store(given);
    const std::vector<InstalledPackage> installed = store.list();
    const std::vector<fs::path> models = models_in(chosen_models(given));
    if (installed.empty() && models.empty()) {
        const std::string folder = store.packages().string();
        fmt::print("no packages{}\n", folder.empty()
                                          ? ": there is no folder for them, as HOME is not set"
                                          : " in " + folder);
    }
    for (const InstalledPackage& package : installed) {
        if (!package.problem.empty()) {
            fmt::print("{:<24} damaged: {}\n", package.name, package.problem);
            continue;
        }
        const About& about = package.manifest.about;
        fmt::print("{:<24} {:<12} {:<25} {}\n", about.name, about.version,
                   package.origin.signed_by.empty() ? "unsigned" : package.origin.signed_by,
                   about.summary);
    }
    for (const fs::path& model : models) {
        fmt::print("{:<24} {:<12} {}\n", model.stem().string(), kModelText, summary_of(model));
    }
    return kDone;
}

bool is_searched_for(const IndexEntry& entry, const std::string& word) {
    std::string text = entry.about.name + "\n" + entry.about.summary;
    for (const Library& library : entry.libraries) {
        text += "\n" + library.plugin;
        for (const std::string& component : library.components) {
            text += "\n" + component;
        }
    }
    return folded(text).find(folded(word)) != std::string::npos;
}

// Returns, for each name, the newest entry that fits this host, or else the newest.
std::map<std::string, const IndexEntry*> best_entries(const std::vector<OpenRepository>& all,
                                                      const std::string& word) {
    std::map<std::string, const IndexEntry*> best;
    const auto is_better = [](const IndexEntry& entry, const IndexEntry& other) {
        const bool fits = fits_host(entry.libraries);
        return fits != fits_host(other.libraries)
                   ? fits
                   : is_newer(entry.about.version, other.about.version);
    };
    for (const OpenRepository& open : all) {
        for (const IndexEntry& entry : open.index.packages) {
            if (is_searched_for(entry, word)) {
                const IndexEntry*& known = best[entry.about.name];
                known = known == nullptr || is_better(entry, *known) ? &entry : known;
            }
        }
    }
    return best;
}

// Returns the models of the first repositories that have them, by their names.
std::map<std::string, const ModelEntry*> found_models(const std::vector<OpenRepository>& all,
                                                      const std::string& word) {
    std::map<std::string, const ModelEntry*> found;
    for (const OpenRepository& open : all) {
        for (const ModelEntry& model : open.index.models) {
            if (folded(model.name + "\n" + model.summary).find(folded(word)) != std::string::npos) {
                found.emplace(model.name, &model);
            }
        }
    }
    return found;
}

int run_search(const Given& given) {
    const Sources sources(given);
    const TemporaryPath staging = TemporaryPath::new_folder();
    const std::vector<OpenRepository> repositories = sources.open_repositories(staging.path());
    const std::string word = given.operands().empty() ? "" : given.operands().front();
    const auto found = best_entries(repositories, word);
    const auto models = found_models(repositories, word);
    if (found.empty() && models.empty()) {
        fmt::print("no package\n");
    }
    for (const auto& [name, entry] : found) {
        const auto installed = sources.store.find(name);
        fmt::print("{:<24} {:<12} {}{}\n", name, entry->about.version, entry->about.summary,
                   installed ? fmt::format(" (installed: {})", installed->manifest.about.version)
                   : fits_host(entry->libraries) ? ""
                                                 : " (not for this host)");
    }
    for (const auto& [name, entry] : models) {
        fmt::print("{:<24} {:<12} {}{}\n", name, kModelText, entry->summary,
                   model_named(name, chosen_models(given)) ? " (installed)" : "");
    }
    return kDone;
}

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
    if (name.ends_with(bundle::kBundleEnding)) {
        fmt::print("{}", bundle::page_of(bundle::BundleFile(name).manifest()));
        return;
    }
    if (name.ends_with(".ptpkg") || name.find('/') != std::string::npos) {
        const PackageFile package(name, name);
        const auto& libraries = package.manifest().libraries;
        print_manifest(package.manifest(), fits_host(libraries) ? choose_libraries(libraries, name)
                                                                : std::vector<Library>());
        return;
    }
    const InstalledPackage package = found_package(name, store);
    print_manifest(package.manifest, package.libraries());
    print_fact("folder", package.folder.string());
    print_fact("from", package.origin.source);
    print_fact("signed", signed_text(package.origin.signed_by));
}

int run_show(const Given& given) {
    const Store store = chosen_store(given);
    for (const std::string& name : given.operands()) {
        const auto model =
            store.find(name) ? std::nullopt : model_named(name, chosen_models(given));
        show_one(model ? model->string() : name, store);
    }
    return kDone;
}

}  // namespace

Command verify_command() {
    return {
        .name = "verify",
        .summary = "checks signatures, and contents of packages",
        .details =
            "Of any file it checks FILE.minisig; of a package, or a bundle of ptprun bundle, "
            "also that\nits content is what its manifest declares; of an installed package that no file of it was "
            "changed,\nand none added.\n",
        .operands = {{.name = "FILE|NAME",
                      .what = "a file, or an installed package or model",
                      .max = kMaxOperands,
                      .completions = {tools::kFiles}}},
        .options = tools::concat({trust_options(), store_options()}),
        .example = "ptp-pack verify my_losses-1.2.0-linux-x86_64.ptpkg",
        .run = run_verify};
}

Command list_command() {
    return {.name = "list",
            .summary = "lists the installed packages and models",
            .details = "Name, version, the key that signed it, and what it is.\n",
            .options = store_options(),
            .example = "ptp-pack list",
            .run = run_list};
}

Command search_command() {
    return {.name = "search",
            .summary = "lists packages and models of repositories",
            .details =
                "Those with the word in their name, summary, plugins or components; without "
                "a word all.\n",
            .operands = {{.name = "WORD", .what = "a word", .min = 0}},
            .options = source_options(),
            .example = "ptp-pack search loss --repository https://example.org/ptp",
            .run = run_search};
}

Command show_command() {
    return {.name = "show",
            .summary = "shows what a package declares",
            .details =
                "Of a file, a package or a bundle of ptprun bundle, nothing but its manifest is "
                "read,\nand no signature is checked.\n",
            .operands = {{.name = "FILE|NAME",
                          .what = "a package or a model",
                          .max = kMaxOperands,
                          .completions = {tools::kFiles}}},
            .options = store_options(),
            .example = "ptp-pack show my_losses",
            .run = run_show};
}

}  // namespace ptp::pack
