// `ptp-pack install`, `upgrade` and `remove`, which change the installed packages.

#include "base/text.hpp"
#include "plugin/catalog.hpp"
#include "ptp-pack/common_options.hpp"
#include "ptp-pack/libraries.hpp"
#include "ptp-pack/models.hpp"
#include "ptp-pack/plan.hpp"
#include "ptp-pack/refuse.hpp"
#include "ptp-pack/version.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace ptp::pack {

namespace {

namespace fs = std::filesystem;

constexpr const char* kAllowOtherKey = "allow-other-key";

// Returns " --repository FOLDER": the options that were given.
std::string words_of(const Given& given) {
    std::string words;
    for (const std::string& word : given.options_without({})) {
        words += " " + shell_word(word);
    }
    return words;
}

Option other_key_option() {
    return {.name = kAllowOtherKey,
            .help = "replace a package by one that is signed with another key, or unsigned"};
}

// A trusted key is trusted for every package; who took one from one author shall know when the next
// comes from another.
void check_same_key(const Candidate& candidate, const InstalledPackage& before) {
    const std::string& key = before.origin.signed_by;
    if (key.empty() || key == candidate.signed_by) {
        return;
    }
    refuse(
        kDataError,
        {fmt::format("{} {}: is {}{}, but {}, which is installed, is signed {}",
                     candidate.about.name, candidate.about.version,
                     candidate.signed_by.empty() ? "" : "signed ", signed_text(candidate.signed_by),
                     before.manifest.about.version, signed_text(key)),
         fmt::format("ask its author whether the key was changed; --{} takes it", kAllowOtherKey)});
}

void print_installed(const Candidate& candidate, const InstalledPackage* before) {
    const std::string was = before == nullptr ? "" : before->manifest.about.version;
    const About& about = candidate.about;
    fmt::print("{} {} {}{}, {}\n", was.empty() ? "installed" : "replaced by", about.name,
               about.version,
               was.empty() || was == about.version ? "" : fmt::format(" (was {})", was),
               signed_text(candidate.signed_by));
}

// An experiment that names one of these types alone means neither plugin from now on.
void print_clashes(const Candidate& candidate, const plugin::Catalog& others) {
    std::set<std::string> texts;  // a plugin may be there as several builds
    for (const Library& library : candidate.libraries) {
        for (const std::string& component : library.components) {
            const std::string type =
                component.substr(component.find(' ') + 1);  // of "loss NLLLoss"
            for (const plugin::Found& found : others.find(type)) {
                const std::string& other = found.plugin->manifest.name;
                if (other != library.plugin) {
                    texts.insert(fmt::format(
                        "warning: the plugin '{0}' has a component {1}, too: experiments must name "
                        "\"{2}/{1}\" or \"{0}/{1}\"\n",
                        other, type, library.plugin));
                }
            }
        }
    }
    for (const std::string& text : texts) {
        fmt::print("{}", text);
    }
}

// Prints what is missing. It may be installed later, so the package is not refused.
void print_missing(const Candidate& candidate) {
    const PackageFile package(candidate.file, candidate.source);
    for (const Library& library : choose_libraries(candidate.libraries, candidate.about.name)) {
        for (const std::string& name : missing_libraries(library, package.manifest().files)) {
            fmt::print(
                "warning: the plugin '{}' needs {}, which is not found on this host: it cannot be "
                "loaded before the package of this system that has the file is installed\n",
                library.plugin, name);
        }
    }
}

// Fetches and checks everything before changing the first package, then installs each package and
// prints it. Returns false if there is nothing to do. Throws RunError.
bool install_all(std::vector<Candidate> wanted, const Given& given, const Sources& sources,
                 const StoreChange& change) {
    const std::vector<InstalledPackage> installed = sources.store.list();
    check_installation(wanted, installed, given.has("allow-downgrade"));
    for (Candidate& candidate : wanted) {
        change.check_place(candidate.about.name);
        if (candidate.file.empty()) {
            acquire(candidate, sources, change.staging());
        }
        const InstalledPackage* const before = installed_of(installed, candidate.about.name);
        if (before != nullptr && !given.has(kAllowOtherKey)) {
            check_same_key(candidate, *before);
        }
    }
    if (wanted.size() > 1) {  // so that the first is not installed where the last is damaged
        for (const Candidate& candidate : wanted) {
            PackageFile(candidate.file, candidate.source).check();
        }
    }
    const plugin::Catalog others =
        wanted.empty() ? plugin::Catalog() : plugin::scan(plugin_folders());
    for (const Candidate& candidate : wanted) {
        install(candidate, change);
        print_installed(candidate, installed_of(installed, candidate.about.name));
        print_clashes(candidate, others);
        print_missing(candidate);
    }
    return !wanted.empty();
}

bool has_prerelease(const InstalledPackage& package) {
    return package.problem.empty() && is_prerelease(package.manifest.about.version);
}

int run_upgrade(const Given& given) {
    const Sources sources(given);
    const StoreChange change(sources.store);
    const std::vector<InstalledPackage> installed = sources.store.list();
    const Strings& names = given.operands();
    for (const std::string& name : names) {
        if (installed_of(installed, name) != nullptr) {
            continue;
        }
        if (model_named(name, chosen_models(given))) {
            refuse(kPluginError, {fmt::format("'{}' is a model, and models stay as they are", name),
                                  "a newer one has a name of its own: ptp-pack search"});
        }
        refuse_not_installed(name, installed);
    }
    const std::vector<OpenRepository> repositories = sources.open_repositories(change.staging());
    std::vector<Candidate> newer;
    for (const InstalledPackage& package : installed) {
        if (!names.empty() && std::ranges::find(names, package.name) == names.end()) {
            continue;
        }
        const auto found = newest(
            {.name = package.name, .takes_prereleases = has_prerelease(package)}, repositories);
        if (found && (!package.problem.empty() ||
                      is_newer(found->about.version, package.manifest.about.version))) {
            newer.push_back(*found);
        }
    }
    if (!install_all(std::move(newer), given, sources, change)) {
        fmt::print("nothing to do: no repository has a newer version\n");
    }
    return kDone;
}

void check_removal(const std::string& name, const Strings& removed,
                   const std::vector<InstalledPackage>& installed) {
    for (const InstalledPackage& package : installed) {
        const bool needs_it =
            std::ranges::any_of(package.manifest.about.dependencies,
                                [&](const auto& dependency) { return dependency.key == name; });
        if (needs_it && std::ranges::find(removed, package.name) == removed.end()) {
            refuse(kPluginError,
                   {fmt::format("{} is needed by {}", name, package.name),
                    fmt::format("remove both: ptp-pack remove {} {}", package.name, name)});
        }
    }
    if (installed_of(installed, name) == nullptr) {
        refuse_not_installed(name, installed);
    }
}

int run_remove(const Given& given) {
    const Store store = chosen_store(given);
    const StoreChange change(store);
    const std::vector<InstalledPackage> installed = store.list();
    const auto model = [&](const std::string& name) {
        return store.find(name) ? std::nullopt : model_named(name, chosen_models(given));
    };
    for (const std::string& name : given.operands()) {
        if (!model(name)) {
            check_removal(name, given.operands(), installed);
        }
    }
    for (const std::string& name : given.operands()) {
        if (const auto file = model(name)) {
            remove_model(*file);
            fmt::print("removed the model {}\n", name);
        } else if (store.find(name)) {  // false if it is named twice
            change.remove(name);
            fmt::print("removed {}\n", name);
        }
    }
    return kDone;
}

bool is_package_file(const std::string& word) {
    return is_address(word) || word.ends_with(".ptpkg") || is_model(word) ||
           word.find('/') != std::string::npos;
}

// Checks the words before anything is written.
void check_words(const Strings& words) {
    for (const std::string& word : words) {
        if (fs::path(word).extension() == ".so") {
            refuse(kConfigurationError,
                   {fmt::format("{}: is a plugin, not a package", word),
                    fmt::format("make a package of it: ptp-pack create --plugin {}", word)});
        }
        if (!is_package_file(word)) {
            request_from(word);
        }
    }
}

std::string source_of(const std::string& word) {
    return is_address(word) ? word : fs::absolute(word).lexically_normal().string();
}

int run_install(const Given& given) {
    const Sources sources(given);
    check_words(given.operands());
    const StoreChange change(sources.store);
    std::vector<OpenRepository> repositories;
    if (!sources.locations.empty() || !std::ranges::all_of(given.operands(), is_package_file)) {
        repositories = sources.open_repositories(change.staging());
    }
    std::vector<Candidate> wanted;
    ModelInstallation models(chosen_models(given), sources);
    for (const std::string& word : given.operands()) {
        if (is_model(word)) {
            models.add(model_of_file(source_of(word)));
        } else if (is_package_file(word)) {
            Candidate& candidate = wanted.emplace_back(Candidate{.source = source_of(word)});
            acquire(candidate, sources, change.staging());
        } else {
            Request request = request_from(word);
            if (auto model = requested_model(request, repositories, words_of(given))) {
                models.add(*std::move(model));
                continue;
            }
            const auto before = sources.store.find(request.name);
            request.takes_prereleases = before && has_prerelease(*before);
            wanted.push_back(find_requested(request, repositories));
        }
    }
    models.check_names(wanted, sources.store);
    if (!install_all(std::move(wanted), given, sources, change) && models.models().empty()) {
        fmt::print("nothing to do: all of this is installed\n");
    }
    models.install();
    return kDone;
}

}  // namespace

Command upgrade_command() {
    return {.name = "upgrade",
            .summary = "installs newer versions of packages",
            .details =
                "Without a name: of all that are installed. A running training keeps the plugins "
                "that it\nhas loaded. A pre-release is taken only where one is installed.\n",
            .operands = {{.name = "NAME", .what = "a package", .min = 0, .max = kMaxOperands}},
            .options = tools::concat({source_options(), {other_key_option()}}),
            .example = "ptp-pack upgrade",
            .run = run_upgrade};
}

Command remove_command() {
    return {.name = "remove",
            .summary = "removes installed packages and models",
            .details = "Runs keep copies of the plugins that they have used.\n",
            .operands = {{.name = "NAME", .what = "a package or a model", .max = kMaxOperands}},
            .options = store_options(),
            .example = "ptp-pack remove my_losses",
            .run = run_remove};
}

Command install_command() {
    return {
        .name = "install",
        .summary = "installs packages and models",
        .details =
            "A package is the name of one in a repository, with a version if you like "
            "(NAME=VERSION),\nor a file or address of one. The packages that it needs must be "
            "installed or named\nbeside it. ptprun finds its plugins without options. "
            "Experiments and documents are in\nthe folder that ptp-pack show names. A model is the name "
            "of one in a repository, or\nthe file or address of a bundle, NAME.ptpm: then ptprun "
            "predict NAME, and load in an\nexperiment, take it by its name.\n",
        .operands = {{.name = "NAME|FILE",
                      .what = "a package or a model",
                      .max = kMaxOperands,
                      .completions = {tools::kFiles}}},
        .options = tools::concat(
            {source_options(),
             {{.name = "allow-downgrade",
               .help = "replace a package by an older one, or by another of its version"},
              other_key_option()}}),
        .example = "ptp-pack install my_losses",
        .run = run_install};
}

}  // namespace ptp::pack
