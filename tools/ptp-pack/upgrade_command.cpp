#include "base/error.hpp"
#include "ptp-pack/install_packages.hpp"
#include "ptp-pack/refuse.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace ptp::pack {

namespace {

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

}  // namespace ptp::pack
