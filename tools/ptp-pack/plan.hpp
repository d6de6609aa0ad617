// Plans an installation: the requested packages and their dependencies.
#pragma once

#include "ptp-pack/archive.hpp"
#include "ptp-pack/repository.hpp"
#include "ptp-pack/store.hpp"
#include "ptp-pack/trusted_keys.hpp"
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
    std::string source;               // path or address of its file
    std::filesystem::path file = {};  // fetched and checked file; empty: not fetched yet
    std::string signed_by = {};       // set once it is fetched
    bool is_asked_for = false;        // false: only a dependency
};

struct PlanOptions {
    const std::vector<InstalledPackage>& installed;
    const std::vector<OpenRepository>& repositories;
    bool allows_downgrade = false;
};

// A query for packages in repositories.
struct Search {
    std::string name;
    Requirement accepts = {};
    bool takes_prereleases = false;  // includes those that `accepts` does not name
};

// Returns whether a pre-release of this package is installed, so that another may replace it.
bool has_prerelease(const std::vector<InstalledPackage>& installed, const std::string& name);

// A requested package: "my_losses" or "my_losses=1.2.0".
struct Request {
    std::string name;
    std::string version;  // "": the newest
};

// Parses a request. Throws RunError with kConfigurationError.
Request request_from(const std::string& text);

// Returns the newest matching package of the repositories that fits this host; that of the first
// repository among equal versions. nullopt if there is none.
std::optional<Candidate> newest(const Search& search,
                                const std::vector<OpenRepository>& repositories);

// Returns the newest package for a request. Throws RunError with kPluginError and the reason if
// there is none.
Candidate find_requested(const Request& request, const std::vector<InstalledPackage>& installed,
                         const std::vector<OpenRepository>& repositories);

// Returns these packages and their missing dependencies, dependencies first; without packages that
// are already installed in this form. Throws RunError with kPluginError: for a dependency that no
// repository has, two requirements that no version meets, a package that others could no longer
// use, an older version than the installed one unless that is allowed, a plugin that another
// package has, and libraries that do not fit this host.
std::vector<Candidate> plan_installation(const std::vector<Candidate>& wanted,
                                         const PlanOptions& options);

// Fetches the file of a package into an empty folder and checks it before reading its content: its
// signature, and for a candidate of an index its size and hash. Fills in missing values. Throws
// RunError.
struct Acquisition {
    const TrustedKeys& keys;
    Unsigned unsigned_files = Unsigned::kRefused;
    std::filesystem::path staging;
};
void acquire(Candidate& candidate, const Acquisition& how);

// Returns an acquired candidate for a file.
Candidate candidate_from_file(const std::string& location, const Acquisition& how);

// Puts an acquired package in its place, in one step. Throws RunError, after which nothing has
// changed.
void install(const Candidate& candidate, const StoreChange& change);

}  // namespace ptp::pack
