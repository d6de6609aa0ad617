// SHA256SUMS of a checkpoint: hashes of its other files, in the format of the program sha256sum,
// which can also check them.

#pragma once

#include <filesystem>
#include <string>

namespace ptp::run {

// Writes the hashes of all files of a folder into a new file there. Throws RunError if any file
// fails.
void write_hashes(const std::filesystem::path& folder);

// Throws RunError with kDataError, which names all files that are missing, were changed or are not
// listed, or states why the list itself cannot be used; with kTrainingError if the system lacks
// descriptors or memory for the check, whatever the files are.
void check_hashes(const std::filesystem::path& folder);

// Returns the hash of a file in the list of its folder; "" if there is none. Throws RunError.
std::string listed_hash(const std::filesystem::path& file);

// Checks one file, if its folder has a list that contains it: a file may be anywhere. Throws
// RunError with kDataError.
void check_listed_hash(const std::filesystem::path& file);

}  // namespace ptp::run
