#include "base/error.hpp"
#include "ptp-pack/fetch.hpp"
#include "ptp-pack/install_packages.hpp"
#include "ptp-pack/refuse.hpp"

#include <fmt/core.h>

#include <filesystem>

namespace ptp::pack {

namespace {

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
