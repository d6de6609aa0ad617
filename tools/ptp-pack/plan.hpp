// What an installation takes: the packages that are asked for and those that they need.

#pragma once

#include "ptp-pack/repository.hpp"
#include "ptp-pack/store.hpp"
#include "ptp-pack/version.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ptp::pack {

// A package that can be installed.
struct Candidate {
    About about;
    std::vector<Library> libraries;
    std::string sha256;  // of its file
    std::int64_t size = 0;
    std::string source;               // the path or the address of its file
    std::filesystem::path file = {};  // where it was fetched to and checked; empty: not yet
    std::string signed_by = {};       // once it is fetched
    bool is_asked_for = false;        // and not needed by another alone
};

struct PlanOptions {
    const std::vector<InstalledPackage>& installed;
    const std::vector<OpenRepository>& repositories;
    bool allows_downgrade = false;
};

// What of the repositories is asked for.
struct Search {
    std::string name;
    Requirement accepts = {};
    bool takes_prereleases = false;  // those that `accepts` does not name, too
};

// Whether a pre-release of this package is installed, so that another may follow it.
bool has_prerelease(const std::vector<InstalledPackage>& installed, const std::string& name);

// What somebody asks for: "my_losses" or "my_losses=1.2.0".
struct Request {
    std::string name;
    std::string version;  // "": the newest
};

// Throws RunError with kConfigurationError.
Request request_from(const std::string& text);

// The newest package of the repositories that fits this host and the search; of equal versions the
// first repository's. nullopt where there is none.
std::optional<Candidate> newest(const Search& search,
                                const std::vector<OpenRepository>& repositories);

// The same for a request. Throws RunError with kPluginError where there is none, and why.
Candidate find_requested(const Request& request, const std::vector<InstalledPackage>& installed,
                         const std::vector<OpenRepository>& repositories);

// These packages and what they need that is not installed, dependencies first; without those that
// are installed as they are. Throws RunError with kPluginError: for a dependency that no repository
// has, two requirements that no version meets, a package that others could not use any more, an
// older version than the installed one unless that is allowed, a plugin that another package has,
// and libraries that do not fit this host.
std::vector<Candidate> plan_installation(const std::vector<Candidate>& wanted,
                                         const PlanOptions& options);

}  // namespace ptp::pack
