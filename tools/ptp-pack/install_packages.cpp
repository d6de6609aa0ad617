#include "ptp-pack/install_packages.hpp"

#include "plugin/catalog.hpp"
#include "plugin/search_path.hpp"
#include "ptp-pack/libraries.hpp"
#include "ptp-pack/refuse.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>

namespace ptp::pack {

namespace {

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

// It may come later, so that this is no reason to refuse the package.
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

}  // namespace

Option other_key_option() {
    return {.name = kAllowOtherKey,
            .help = "replace a package by one that is signed with another key, or unsigned"};
}

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

}  // namespace ptp::pack
