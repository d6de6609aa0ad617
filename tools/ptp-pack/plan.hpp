// The packages of an installation: found in repositories, checked against each other and what is
// installed, fetched, and put in their places.
#pragma once

#include "ptp-pack/archive.hpp"
#include "ptp-pack/repository.hpp"
#include "ptp-pack/store.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ptp::pack {

// A package that can be installed.
struct Candidate {
    About about = {};
    std::vector<Library> libraries = {};
    std::string sha256 = {};  // of its file
    std::int64_t size = 0;
    std::string source;               // path or address of its file
    std::filesystem::path file = {};  // fetched and checked file; empty: not fetched yet
    std::string signed_by = {};       // set once it is fetched
};

// Returns the package of this name; nullptr if it is not installed.
const InstalledPackage* installed_of(const std::vector<InstalledPackage>& installed,
                                     const std::string& name);

// A requested package: "my_losses" or "my_losses=1.2.0".
struct Request {
    std::string name;
    std::string version = {};  // "": the newest
    bool takes_prereleases = false;
};

// Parses a request. Throws RunError with kConfigurationError.
Request request_from(const std::string& text);

// Returns the newest matching package of the repositories that fits this host; that of the first
// repository among equal versions. nullopt if there is none.
std::optional<Candidate> newest(const Request& request,
                                const std::vector<OpenRepository>& repositories);

// Returns the newest package for a request. Throws RunError with kPluginError and the reason if
// there is none.
Candidate find_requested(const Request& request, const std::vector<OpenRepository>& repositories);

// Removes packages that are already installed in this form. Throws RunError with kPluginError: for
// a dependency that is neither among the packages nor installed, a package that others could no
// longer use, an older version than the installed one unless that is allowed, a plugin that another
// package has, and libraries that do not fit this host.
void check_installation(std::vector<Candidate>& wanted,
                        const std::vector<InstalledPackage>& installed, bool allows_downgrade);

// Fetches the file of a package into an empty folder and checks it before reading its content: its
// signature, and for a candidate of an index its size and hash. Fills in missing values. Throws
// RunError.
void acquire(Candidate& candidate, const Access& access, const std::filesystem::path& staging);

// Puts an acquired package in its place, in one step. Throws RunError, after which nothing has
// changed.
void install(const Candidate& candidate, const StoreChange& change);

}  // namespace ptp::pack
