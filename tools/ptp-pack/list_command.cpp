#include "base/error.hpp"
#include "ptp-pack/common_options.hpp"

#include <fmt/core.h>

namespace ptp::pack {

namespace {

int run_list(const Given& given) {
    const Store store = chosen_store(given, folders_here());
    const std::vector<InstalledPackage> installed = store.list();
    if (installed.empty()) {
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
    return kDone;
}

}  // namespace

Command list_command() {
    return {.name = "list",
            .summary = "lists the installed packages",
            .details = "Name, version, the key that signed it, and what it is.\n",
            .options = store_options(),
            .example = "ptp-pack list",
            .run = run_list};
}

}  // namespace ptp::pack
