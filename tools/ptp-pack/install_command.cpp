// `ptp-pack install`, `upgrade` and `remove`, which change the installed packages.

#include "plugin/catalog.hpp"
#include "plugin/search_path.hpp"
#include "ptp-pack/common_options.hpp"
#include "ptp-pack/fetch.hpp"
#include "ptp-pack/libraries.hpp"
#include "ptp-pack/plan.hpp"
#include "ptp-pack/refuse.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ptp::pack {

namespace {

struct Installation {
    const StoreChange& change;
    const std::vector<InstalledPackage>& installed;
    const std::vector<OpenRepository>& repositories;
    const Acquisition& how;
    bool allows_downgrade = false;
    bool allows_other_key = false;
};

// The option --allow-other-key.
inline constexpr const char* kAllowOtherKey = "allow-other-key";
Option other_key_option();

std::string previous_version(const std::vector<InstalledPackage>& installed,
                             const std::string& name) {
    const auto found = std::ranges::find(installed, name, &InstalledPackage::name);
    return found == installed.end() ? "" : found->manifest.about.version;
}

// A trusted key is trusted for every package unless it is limited; who took one from one author
// shall know when the next comes from another.
void check_same_key(const Candidate& candidate, const std::vector<InstalledPackage>& installed) {
    const auto before = std::ranges::find(installed, candidate.about.name, &InstalledPackage::name);
    if (before == installed.end() || before->origin.signed_by.empty() ||
        before->origin.signed_by == candidate.signed_by) {
        return;
    }
    refuse(
        kDataError,
        {fmt::format("{} {}: is {}, but {}, which is installed, is signed {}", candidate.about.name,
                     candidate.about.version,
                     candidate.signed_by.empty() ? "unsigned"
                                                 : "signed " + signed_text(candidate.signed_by),
                     before->manifest.about.version, signed_text(before->origin.signed_by)),
         fmt::format("ask its author whether the key was changed; --{} takes it", kAllowOtherKey)});
}

void print_installed(const Candidate& candidate, const Installation& with) {
    const std::string before = previous_version(with.installed, candidate.about.name);
    fmt::print(
        "{} {} {}{}, {}\n", before.empty() ? "installed" : "replaced by", candidate.about.name,
        candidate.about.version,
        before.empty() || before == candidate.about.version ? "" : fmt::format(" (was {})", before),
        signed_text(candidate.signed_by));
}

// "NLLLoss" of "loss NLLLoss".
std::string type_of(const std::string& component) {
    return component.substr(component.find(' ') + 1);
}

// An experiment that names one of these types alone means neither plugin from now on.
void print_clashes(const Candidate& candidate, const plugin::Catalog& others) {
    std::set<std::string> texts;  // a plugin may be there as several builds
    for (const Library& library : candidate.libraries) {
        for (const std::string& component : library.components) {
            const std::string type = type_of(component);
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

Option other_key_option() {
    return {.name = kAllowOtherKey,
            .help = "replace a package by one that is signed with another key, or unsigned"};
}

// Plans, fetches and checks everything before changing the first package, then installs each
// package and prints it. Returns their number. Throws RunError.
std::size_t install_packages(const std::vector<Candidate>& wanted, const Installation& with) {
    std::vector<Candidate> plan =
        plan_installation(wanted, {with.installed, with.repositories, with.allows_downgrade});
    for (Candidate& candidate : plan) {
        with.change.check_place(candidate.about.name);
        if (candidate.file.empty()) {
            acquire(candidate, with.how);
        }
        if (!with.allows_other_key) {
            check_same_key(candidate, with.installed);
        }
    }
    if (plan.size() > 1) {  // so that the first is not installed where the last is damaged
        for (const Candidate& candidate : plan) {
            PackageFile(candidate.file, candidate.source).unpack([](const PackedFile&) {
                return std::nullopt;
            });
        }
    }
    const plugin::Catalog others =
        plan.empty() ? plugin::Catalog()
                     : plugin::scan(plugin::search_folders(plugin::search_path_here({})));
    for (const Candidate& candidate : plan) {
        install(candidate, with.change);
        print_installed(candidate, with);
        print_clashes(candidate, others);
        print_missing(candidate);
    }
    return plan.size();
}

std::vector<std::string> names_of(const std::vector<InstalledPackage>& packages) {
    std::vector<std::string> names;
    for (const InstalledPackage& package : packages) {
        names.push_back(package.name);
    }
    return names;
}

// Returns the newer versions of the packages with these names.
std::vector<Candidate> upgrades(const std::vector<InstalledPackage>& installed,
                                const Strings& names,
                                const std::vector<OpenRepository>& repositories) {
    std::vector<Candidate> newer;
    for (const InstalledPackage& package : installed) {
        if (std::ranges::find(names, package.name) == names.end()) {
            continue;
        }
        auto found = newest(
            {.name = package.name, .takes_prereleases = has_prerelease(installed, package.name)},
            repositories);
        if (found && (!package.problem.empty() ||
                      is_newer(found->about.version, package.manifest.about.version))) {
            found->is_asked_for = true;
            newer.push_back(*found);
        }
    }
    return newer;
}

int run_upgrade(const Given& given) {
    const Folders folders = folders_here();
    const TrustedKeys keys = chosen_keys(given, folders);
    const Store store = chosen_store(given, folders);
    const StoreChange change(store);
    const std::vector<InstalledPackage> installed = store.list();
    const std::vector<std::string> known = names_of(installed);
    for (const std::string& name : given.operands()) {
        if (std::ranges::find(known, name) == known.end()) {
            refuse_not_installed(name, installed);
        }
    }
    const std::vector<OpenRepository> repositories =
        open_repositories({given, folders, keys, change.staging()});
    const std::vector<Candidate> newer =
        upgrades(installed, given.operands().empty() ? known : given.operands(), repositories);
    const Acquisition how{keys, chosen_strictness(given), change.staging()};
    if (install_packages(newer, {.change = change,
                                 .installed = installed,
                                 .repositories = repositories,
                                 .how = how,
                                 .allows_other_key = given.has(kAllowOtherKey)}) == 0) {
        fmt::print("nothing to do: no repository has a newer version\n");
    }
    return kDone;
}

void check_removal(const std::string& name, const Strings& removed,
                   const std::vector<InstalledPackage>& installed) {
    for (const InstalledPackage& package : installed) {
        const auto& needed = package.manifest.about.dependencies;
        const bool needs_it = std::ranges::any_of(
            needed, [&](const auto& dependency) { return dependency.key == name; });
        if (needs_it && std::ranges::find(removed, package.name) == removed.end()) {
            refuse(kPluginError,
                   {fmt::format("{} is needed by {}", name, package.name),
                    fmt::format("remove both: ptp-pack remove {} {}", package.name, name)});
        }
    }
    if (std::ranges::find(installed, name, &InstalledPackage::name) == installed.end()) {
        refuse_not_installed(name, installed);
    }
}

int run_remove(const Given& given) {
    const Store store = chosen_store(given, folders_here());
    const StoreChange change(store);
    const std::vector<InstalledPackage> installed = store.list();
    for (const std::string& name : given.operands()) {
        check_removal(name, given.operands(), installed);
    }
    for (const std::string& name : given.operands()) {
        if (store.find(name)) {  // false if it is named twice
            change.remove(name);
            fmt::print("removed {}\n", name);
        }
    }
    return kDone;
}

namespace fs = std::filesystem;

bool is_package_file(const std::string& word) {
    return is_address(word) || word.ends_with(".ptpkg") || word.find('/') != std::string::npos;
}

int run_install(const Given& given) {
    const Folders folders = folders_here();
    const TrustedKeys keys = chosen_keys(given, folders);
    for (const std::string& word : given.operands()) {
        if (fs::path(word).extension() == ".so") {
            refuse(kConfigurationError,
                   {fmt::format("{}: is a plugin, not a package", word),
                    fmt::format("make a package of it: ptp-pack create --plugin {}", word)});
        }
        if (!is_package_file(word)) {
            request_from(word);  // before anything is written
        }
    }
    const Store store = chosen_store(given, folders);
    const StoreChange change(store);
    const Acquisition how{keys, chosen_strictness(given), change.staging()};
    std::vector<Candidate> wanted;
    bool asks_repositories = given.has("repository");
    for (const std::string& word : given.operands()) {
        if (is_package_file(word)) {
            wanted.push_back(candidate_from_file(word, how));
            asks_repositories = asks_repositories || !wanted.back().about.dependencies.empty();
        } else {
            asks_repositories = true;
        }
    }
    const std::vector<OpenRepository> repositories =
        asks_repositories ? open_repositories({given, folders, keys, change.staging()})
                          : std::vector<OpenRepository>();
    const std::vector<InstalledPackage> installed = store.list();
    for (const std::string& word : given.operands()) {
        if (!is_package_file(word)) {
            wanted.push_back(find_requested(request_from(word), installed, repositories));
        }
    }
    const std::size_t count =
        install_packages(wanted, {.change = change,
                                  .installed = installed,
                                  .repositories = repositories,
                                  .how = how,
                                  .allows_downgrade = given.has("allow-downgrade"),
                                  .allows_other_key = given.has(kAllowOtherKey)});
    if (count == 0) {
        fmt::print("nothing to do: all of this is installed\n");
    }
    return kDone;
}

}  // namespace

Command upgrade_command() {
    return {.name = "upgrade",
            .summary = "installs newer versions of packages",
            .details =
                "Without a name: of all that are installed. A running training keeps the "
                "plugins that it\nhas loaded. A pre-release is taken only where one is "
                "installed.\n",
            .operands = {{.name = "NAME", .what = "a package", .min = 0, .max = kMaxOperands}},
            .options = tools::concat(
                {store_options(), repository_options(), trust_options(), {other_key_option()}}),
            .example = "ptp-pack upgrade",
            .run = run_upgrade};
}

Command remove_command() {
    return {.name = "remove",
            .summary = "removes installed packages",
            .details = "Runs keep copies of the plugins that they have used.\n",
            .operands = {{.name = "NAME", .what = "a package", .max = kMaxOperands}},
            .options = store_options(),
            .example = "ptp-pack remove my_losses",
            .run = run_remove};
}

Command install_command() {
    return {.name = "install",
            .summary = "installs packages, and those that they need",
            .details =
                "A package is the name of one in a repository, with a version if you like "
                "(NAME=VERSION),\nor a file or address of one. ptprun finds its plugins "
                "without options. Experiments and\ndocuments are in the folder that ptp-pack "
                "show names.\n",
            .operands = {{.name = "NAME|FILE",
                          .what = "a package",
                          .max = kMaxOperands,
                          .completions = {tools::kFiles}}},
            .options = tools::concat(
                {store_options(),
                 repository_options(),
                 trust_options(),
                 {{.name = "allow-downgrade",
                   .help = "replace a package by an older one, or by another of its version"},
                  other_key_option()}}),
            .example = "ptp-pack install my_losses",
            .run = run_install};
}

}  // namespace ptp::pack
