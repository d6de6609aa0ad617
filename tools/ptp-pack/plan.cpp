// Finds the packages of an installation, and checks that they fit together.

#include "ptp-pack/plan.hpp"

#include "base/ranges.hpp"
#include "base/suggest.hpp"
#include "ptp-pack/libraries.hpp"
#include "ptp-pack/refuse.hpp"
#include "ptp-pack/version.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>

namespace ptp::pack {

namespace {

std::string shown_package(const About& about) {
    return about.name + " " + about.version;
}

const Candidate* find(const std::vector<Candidate>& candidates, const std::string& name) {
    return find_by(candidates, name, [](const Candidate& one) { return one.about.name; });
}

// A package that is named twice is taken once.
void remove_repeated(std::vector<Candidate>& wanted) {
    std::vector<Candidate> kept;
    for (const Candidate& candidate : wanted) {
        const Candidate* const same = find(kept, candidate.about.name);
        if (same == nullptr) {
            kept.push_back(candidate);
        } else if (same->sha256 != candidate.sha256) {
            refuse(kPluginError,
                   {fmt::format("{} and {} exclude each other", shown_package(same->about),
                                shown_package(candidate.about))});
        }
    }
    wanted = std::move(kept);
}

void check_newer(const Candidate& candidate, const InstalledPackage& before) {
    const std::string& version = before.manifest.about.version;
    if (version == candidate.about.version) {
        refuse(kPluginError,
               {fmt::format("{} is installed with other content", shown_package(candidate.about)),
                "a new build gets a new version; --allow-downgrade replaces it"});
    }
    if (!is_newer(candidate.about.version, version)) {
        refuse(kPluginError, {fmt::format("{} is older than {}, which is installed; it can replace "
                                          "that nevertheless",
                                          shown_package(candidate.about), version),
                              "--allow-downgrade"});
    }
}

// Checks that the packages that it needs are among these or installed.
void check_needs(const About& about, const std::vector<Candidate>& wanted,
                 const std::vector<InstalledPackage>& installed) {
    for (const auto& [name, name_place, requirement, place] : about.dependencies) {
        const auto refuse_need = [&](const std::string& what, const std::string& fix = "") {
            refuse(kPluginError, {fmt::format("{} needs {} {}, {}", shown_package(about), name,
                                              requirement, what),
                                  fix});
        };
        const Candidate* const chosen = find(wanted, name);
        const InstalledPackage* const there = installed_of(installed, name);
        if (chosen != nullptr) {
            if (!accepts(requirement, chosen->about.version)) {
                refuse_need(fmt::format("and {} is to be installed", chosen->about.version));
            }
        } else if (there == nullptr || !there->problem.empty()) {
            refuse_need("which is not installed",
                        fmt::format("name it, or its file, beside this one; or install it first: "
                                    "ptp-pack install {}",
                                    name));
        } else if (!accepts(requirement, there->manifest.about.version)) {
            refuse_need(
                fmt::format("and {} is installed", there->manifest.about.version),
                fmt::format("replace it first: ptp-pack upgrade {0}\n         or by a version "
                            "that you choose: ptp-pack install {0}=VERSION",
                            name));
        }
    }
}

// Checks that a package that stays installed still finds its dependencies.
void check_dependent(const About& about, const std::vector<Candidate>& wanted) {
    for (const auto& dependency : about.dependencies) {
        const Candidate* const changed = find(wanted, dependency.key);
        if (changed != nullptr && !accepts(dependency.value, changed->about.version)) {
            refuse(kPluginError,
                   {fmt::format("{} is installed and needs {} {}, not {}", shown_package(about),
                                dependency.key, dependency.value, changed->about.version),
                    fmt::format("install another version of {} with it, or remove it first",
                                about.name)});
        }
    }
}

// `owners` are the packages of the plugins so far. ptprun would use an unexpected one of two
// plugins with the same name.
void check_plugins(const Candidate& candidate, std::map<std::string, std::string>& owners) {
    for (const Library& library : candidate.libraries) {
        const std::string& owner =
            owners.try_emplace(library.plugin, candidate.about.name).first->second;
        if (owner != candidate.about.name) {
            refuse(kPluginError,
                   {fmt::format("{} has the plugin '{}', which the package '{}' has too",
                                shown_package(candidate.about), library.plugin, owner),
                    fmt::format("remove one of them: ptp-pack remove {}", owner)});
        }
    }
}

std::vector<std::string> offered_names(const std::vector<OpenRepository>& repositories) {
    std::vector<std::string> names;
    for (const OpenRepository& open : repositories) {
        for (const IndexEntry& entry : open.index.packages) {
            names.push_back(entry.about.name);
        }
        for (const ModelEntry& model : open.index.models) {
            names.push_back(model.name);
        }
    }
    std::ranges::sort(names);
    names.erase(std::ranges::unique(names).begin(), names.end());
    return names;
}

bool is_taken(const IndexEntry& entry, const Request& request) {
    const std::string& version = entry.about.version;
    return entry.about.name == request.name && fits_host(entry.libraries) &&
           (request.version.empty() ? request.takes_prereleases || !is_prerelease(version)
                                    : version == request.version);
}

}  // namespace

const InstalledPackage* installed_of(const std::vector<InstalledPackage>& installed,
                                     const std::string& name) {
    return find_named(installed, name);
}

Request request_from(const std::string& text) {
    const std::size_t equals = std::min(text.find('='), text.size());
    const bool has_version = equals < text.size();
    Request request{text.substr(0, equals), has_version ? text.substr(equals + 1) : ""};
    if (!is_package_name(request.name) || (has_version && !parse_version(request.version))) {
        refuse(
            kConfigurationError,
            {fmt::format(
                 "'{}' is neither a file, NAME.ptpkg or NAME.ptpm, nor the name of a package or model",
                 text),
             "write a name of lower-case letters, digits and '_': NAME, or NAME=VERSION of a package"});
    }
    return request;
}

std::optional<Candidate> newest(const Request& request,
                                const std::vector<OpenRepository>& repositories) {
    std::optional<Candidate> best;
    for (const OpenRepository& open : repositories) {
        for (const IndexEntry& entry : open.index.packages) {
            if (is_taken(entry, request) &&
                (!best || is_newer(entry.about.version, best->about.version))) {
                best = {.about = entry.about,
                        .libraries = entry.libraries,
                        .sha256 = entry.sha256,
                        .size = entry.size,
                        .source = location_of(open.repository.location, entry.file)};
            }
        }
    }
    return best;
}

Candidate find_requested(const Request& request, const std::vector<OpenRepository>& repositories) {
    if (auto found = newest(request, repositories)) {
        return *found;
    }
    const std::string& name = request.name;
    const std::vector<std::string> names = offered_names(repositories);
    if (repositories.empty()) {
        refuse(kPluginError, {fmt::format("there is no repository that could have '{}'", name),
                              "name one: --repository LOCATION, or in repositories.toml"});
    }
    if (!contains(names, name)) {
        refuse(kPluginError, {fmt::format("no repository has a package or a model '{}'{}", name,
                                          hint(name, names, "ptp-pack search lists all"))});
    }
    const auto early = newest({.name = name, .takes_prereleases = true}, repositories);
    if (early && request.version.empty()) {
        refuse(kPluginError,
               {fmt::format("'{}' has no release for this host, only pre-releases", name),
                fmt::format("name the one that you want: {}={}", name, early->about.version)});
    }
    std::string others;
    for (const OpenRepository& open : repositories) {
        for (const IndexEntry& entry : open.index.packages) {
            if (entry.about.name == name) {
                others += fmt::format("\n    {} for {}", shown_package(entry.about),
                                      platform_of(entry.libraries));
            }
        }
    }
    refuse(kPluginError,
           {fmt::format("no package '{}'{} fits this host; there are:{}", name,
                        request.version.empty() ? "" : " of version " + request.version, others),
            "ask its author for a package for this host, or build the plugin from its source"});
}

void check_installation(std::vector<Candidate>& wanted,
                        const std::vector<InstalledPackage>& installed, bool allows_downgrade) {
    remove_repeated(wanted);
    for (const Candidate& candidate : wanted) {
        const InstalledPackage* const before = installed_of(installed, candidate.about.name);
        if (before != nullptr && before->problem.empty() && !allows_downgrade &&
            before->origin.sha256 != candidate.sha256) {
            check_newer(candidate, *before);
        }
        check_needs(candidate.about, wanted, installed);
    }
    std::erase_if(wanted, [&](const Candidate& candidate) {
        const InstalledPackage* const before = installed_of(installed, candidate.about.name);
        return before != nullptr && before->problem.empty() &&
               before->origin.sha256 == candidate.sha256;
    });
    std::map<std::string, std::string> owners;  // the packages of plugins
    for (const InstalledPackage& package : installed) {
        if (find(wanted, package.name) == nullptr) {
            check_dependent(package.manifest.about, wanted);
            for (const Library& library : package.libraries()) {
                owners.emplace(library.plugin, package.name);
            }
        }
    }
    for (const Candidate& candidate : wanted) {
        check_plugins(candidate, owners);
        choose_libraries(candidate.libraries, shown_package(candidate.about));
    }
}

}  // namespace ptp::pack
