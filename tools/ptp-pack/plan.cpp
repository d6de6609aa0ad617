// Chooses the packages of an installation, with those that they need.

#include "ptp-pack/plan.hpp"

#include "base/suggest.hpp"
#include "ptp-pack/fetch.hpp"
#include "ptp-pack/libraries.hpp"
#include "ptp-pack/manifest.hpp"
#include "ptp-pack/refuse.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <utility>

namespace ptp::pack {

namespace {

std::string shown_package(const About& about) {
    return about.name + " " + about.version;
}

Candidate candidate_of(const IndexEntry& entry, const OpenRepository& from) {
    return {.about = entry.about,
            .libraries = entry.libraries,
            .sha256 = entry.sha256,
            .size = entry.size,
            .source = location_of(from.repository.location, entry.file)};
}

std::vector<std::string> offered_names(const std::vector<OpenRepository>& repositories) {
    std::vector<std::string> names;
    for (const OpenRepository& open : repositories) {
        for (const IndexEntry& entry : open.index.packages) {
            names.push_back(entry.about.name);
        }
    }
    std::ranges::sort(names);
    names.erase(std::ranges::unique(names).begin(), names.end());
    return names;
}

const InstalledPackage* installed_of(const std::vector<InstalledPackage>& installed,
                                     const std::string& name) {
    const auto found = std::ranges::find(installed, name, &InstalledPackage::name);
    return found == installed.end() ? nullptr : &*found;
}

bool is_accepted_by(const std::string& requirement, const std::string& version) {
    const auto parsed = parse_requirement(requirement);
    return parsed && parsed->accepts(version);
}

bool is_taken(const Search& search, const std::string& version) {
    const auto parsed = parse_version(version);
    return parsed && search.accepts.accepts(*parsed) &&
           (parsed->prerelease.empty() || search.takes_prereleases ||
            search.accepts.names_prerelease_of(*parsed));
}

class Planner {
public:
    // Requested packages precede others with the same name.
    Planner(const PlanOptions& options, const std::vector<Candidate>& wanted)
        : options_(options), wanted_(wanted) {}

    void add(const Candidate& candidate) {
        const std::string& name = candidate.about.name;
        if (const Candidate* same = planned(name)) {
            if (same->sha256 != candidate.sha256) {
                refuse(kPluginError,
                       {fmt::format("{} and {} exclude each other", shown_package(same->about),
                                    shown_package(candidate.about))});
            }
            return;
        }
        if (!open_.insert(name).second) {
            return;  // an indirect dependency on itself
        }
        check_change(candidate);
        for (const auto& dependency : candidate.about.dependencies) {
            need(dependency.key, dependency.value, candidate.about);
        }
        plan_.push_back(candidate);
    }

    std::vector<Candidate> finish() {
        std::erase_if(plan_, [&](const Candidate& one) { return is_there(one); });
        for (const InstalledPackage& package : options_.installed) {
            check_dependent(package);
        }
        check_plugins();
        for (const Candidate& candidate : plan_) {
            choose_libraries(candidate.libraries, shown_package(candidate.about));
        }
        return std::move(plan_);
    }

private:
    [[nodiscard]] const Candidate* planned(const std::string& name) const {
        const auto found = std::ranges::find_if(
            plan_, [&](const Candidate& one) { return one.about.name == name; });
        return found == plan_.end() ? nullptr : &*found;
    }

    [[nodiscard]] bool is_there(const Candidate& candidate) const {
        const InstalledPackage* before = installed_of(options_.installed, candidate.about.name);
        return before != nullptr && before->problem.empty() &&
               before->origin.sha256 == candidate.sha256;
    }

    void check_change(const Candidate& candidate) const {
        const InstalledPackage* before = installed_of(options_.installed, candidate.about.name);
        if (before == nullptr || !before->problem.empty() || options_.allows_downgrade ||
            before->origin.sha256 == candidate.sha256) {
            return;
        }
        const std::string& version = before->manifest.about.version;
        if (version == candidate.about.version) {
            refuse(kPluginError, {fmt::format("{} is installed with other content",
                                              shown_package(candidate.about)),
                                  "a new build gets a new version; --allow-downgrade replaces it"});
        }
        if (!is_newer(candidate.about.version, version)) {
            refuse(kPluginError, {fmt::format("{} is older than {}, which is installed",
                                              shown_package(candidate.about), version),
                                  "--allow-downgrade installs it nevertheless"});
        }
    }

    void need(const std::string& name, const std::string& requirement, const About& by) {
        const auto clash = [&](const std::string& what) {
            refuse(kPluginError,
                   {fmt::format("{} needs {} {}, {}", shown_package(by), name, requirement, what)});
        };
        if (const Candidate* chosen = planned(name)) {
            if (!is_accepted_by(requirement, chosen->about.version)) {
                clash(fmt::format("and {} is to be installed", chosen->about.version));
            }
            return;
        }
        const auto asked = std::ranges::find_if(
            wanted_, [&](const Candidate& one) { return one.about.name == name; });
        if (asked != wanted_.end()) {
            if (!is_accepted_by(requirement, asked->about.version)) {
                clash(fmt::format("and {} is to be installed", asked->about.version));
            }
            add(*asked);
            return;
        }
        const InstalledPackage* before = installed_of(options_.installed, name);
        if (before != nullptr && before->problem.empty() &&
            is_accepted_by(requirement, before->manifest.about.version)) {
            return;
        }
        const auto found = newest({.name = name,
                                   .accepts = *parse_requirement(requirement),
                                   .takes_prereleases = has_prerelease(options_.installed, name)},
                                  options_.repositories);
        if (!found) {
            refuse(kPluginError,
                   {fmt::format("{} needs {} {}, which no repository has for this host",
                                shown_package(by), name, requirement),
                    "name one that has it, --repository LOCATION, or its file beside this one"});
        }
        add(*found);
    }

    // Checks that a package that stays installed still finds its dependencies.
    void check_dependent(const InstalledPackage& package) const {
        if (planned(package.name) != nullptr) {
            return;
        }
        for (const auto& dependency : package.manifest.about.dependencies) {
            const Candidate* changed = planned(dependency.key);
            if (changed != nullptr && !is_accepted_by(dependency.value, changed->about.version)) {
                refuse(kPluginError,
                       {fmt::format("{} is installed and needs {} {}, not {}",
                                    shown_package(package.manifest.about), dependency.key,
                                    dependency.value, changed->about.version),
                        fmt::format("install another version of {} with it, or remove it first",
                                    package.name)});
            }
        }
    }

    // Checks for two plugins with the same name: ptprun would use an unexpected one.
    void check_plugins() const {
        std::vector<std::pair<std::string, std::string>> owners;  // plugin, package
        for (const InstalledPackage& package : options_.installed) {
            if (planned(package.name) == nullptr) {
                for (const Library& library : package.libraries()) {
                    owners.emplace_back(library.plugin, package.name);
                }
            }
        }
        for (const Candidate& candidate : plan_) {
            for (const Library& library : candidate.libraries) {
                const std::string& name = candidate.about.name;
                const auto other = std::ranges::find_if(owners, [&](const auto& owner) {
                    return owner.first == library.plugin && owner.second != name;
                });
                if (other != owners.end()) {
                    refuse(
                        kPluginError,
                        {fmt::format("{} has the plugin '{}', which the package '{}' has too",
                                     shown_package(candidate.about), library.plugin, other->second),
                         fmt::format("remove one of them: ptp-pack remove {}", other->second)});
                }
                owners.emplace_back(library.plugin, name);
            }
        }
    }

    const PlanOptions& options_;
    const std::vector<Candidate>& wanted_;
    std::vector<Candidate> plan_;
    std::set<std::string> open_;
};

}  // namespace

Request request_from(const std::string& text) {
    const std::size_t equals = text.find('=');
    Request request{text.substr(0, equals),
                    equals == std::string::npos ? "" : text.substr(equals + 1)};
    const bool is_version = equals == std::string::npos || parse_version(request.version);
    if (!is_package_name(request.name) || !is_version) {
        refuse(kConfigurationError,
               {fmt::format("'{}' is neither a file NAME.ptpkg nor a package", text),
                "write NAME or NAME=VERSION, such as my_losses=1.2.0"});
    }
    return request;
}

bool has_prerelease(const std::vector<InstalledPackage>& installed, const std::string& name) {
    const InstalledPackage* before = installed_of(installed, name);
    return before != nullptr && before->problem.empty() &&
           !parse_version(before->manifest.about.version)->prerelease.empty();
}

std::optional<Candidate> newest(const Search& search,
                                const std::vector<OpenRepository>& repositories) {
    std::optional<Candidate> best;
    for (const OpenRepository& open : repositories) {
        for (const IndexEntry& entry : open.index.packages) {
            if (entry.about.name == search.name && is_taken(search, entry.about.version) &&
                fits_host(entry.libraries) &&
                (!best || is_newer(entry.about.version, best->about.version))) {
                best = candidate_of(entry, open);
            }
        }
    }
    return best;
}

Candidate find_requested(const Request& request, const std::vector<InstalledPackage>& installed,
                         const std::vector<OpenRepository>& repositories) {
    const std::string wanted = request.version.empty() ? "*" : "=" + request.version;
    Search search{.name = request.name,
                  .accepts = *parse_requirement(wanted),
                  .takes_prereleases = has_prerelease(installed, request.name)};
    if (auto found = newest(search, repositories)) {
        found->is_asked_for = true;
        return *found;
    }
    const std::vector<std::string> names = offered_names(repositories);
    if (repositories.empty()) {
        refuse(kPluginError,
               {fmt::format("there is no repository that could have '{}'", request.name),
                "name one: --repository LOCATION, or in repositories.toml"});
    }
    if (std::ranges::find(names, request.name) == names.end()) {
        refuse(kPluginError, {fmt::format("no repository has a package '{}'{}", request.name,
                                          hint(request.name, names, "ptp-pack search lists all"))});
    }
    search.takes_prereleases = true;
    if (const auto early = newest(search, repositories)) {
        refuse(
            kPluginError,
            {fmt::format("'{}' has no release for this host, only pre-releases", request.name),
             fmt::format("name the one that you want: {}={}", request.name, early->about.version)});
    }
    std::string refusals;
    for (const OpenRepository& open : repositories) {
        for (const IndexEntry& entry : open.index.packages) {
            if (entry.about.name == request.name) {
                refusals += fmt::format("\n    {} for {}", shown_package(entry.about),
                                        platform_of(entry.libraries));
            }
        }
    }
    refuse(kPluginError,
           {fmt::format("no package '{}'{} fits this host; there are:{}", request.name,
                        request.version.empty() ? "" : " of version " + request.version, refusals),
            "ask its author for a package for this host, or build the plugin from its source"});
}

std::vector<Candidate> plan_installation(const std::vector<Candidate>& wanted,
                                         const PlanOptions& options) {
    Planner planner(options, wanted);
    for (const Candidate& candidate : wanted) {
        planner.add(candidate);
    }
    return planner.finish();
}

}  // namespace ptp::pack
