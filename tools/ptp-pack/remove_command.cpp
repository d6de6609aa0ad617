#include "base/error.hpp"
#include "ptp-pack/common_options.hpp"
#include "ptp-pack/refuse.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace ptp::pack {

namespace {

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

}  // namespace

Command remove_command() {
    return {.name = "remove",
            .summary = "removes installed packages",
            .details = "Runs keep copies of the plugins that they have used.\n",
            .operands = {{.name = "NAME", .what = "a package", .max = kMaxOperands}},
            .options = store_options(),
            .example = "ptp-pack remove my_losses",
            .run = run_remove};
}

}  // namespace ptp::pack
