// Installs packages into a store.

#pragma once

#include "ptp-pack/archive.hpp"
#include "ptp-pack/plan.hpp"
#include "ptp-pack/trusted_keys.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace ptp::pack {

// Fetches the file of a package into an empty folder and checks it before anything in it is read:
// its signature, and for a candidate of an index its size and its hash. Fills what is not known
// yet. Throws RunError.
struct Acquisition {
    const TrustedKeys& keys;
    Unsigned unsigned_files = Unsigned::kRefused;
    std::filesystem::path staging;
};
void acquire(Candidate& candidate, const Acquisition& how);

// A file as a candidate, acquired.
Candidate candidate_from_file(const std::string& location, const Acquisition& how);

// Puts an acquired package in its place, at once. Throws RunError, and then nothing has changed.
void install(const Candidate& candidate, const StoreChange& change);

}  // namespace ptp::pack
