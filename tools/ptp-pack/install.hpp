// Installs packages into a store.

#pragma once

#include "ptp-pack/archive.hpp"
#include "ptp-pack/plan.hpp"
#include "ptp-pack/trusted_keys.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace ptp::pack {

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
