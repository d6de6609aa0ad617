// SHA256SUMS of a checkpoint: hashes of its other files, in the form of the program sha256sum,
// which can check them too. Its format is that program's.

#pragma once

#include <filesystem>

namespace ptp::run {

// Writes the hashes of all files of a folder into a new file there: of all, or it throws RunError.
void write_hashes(const std::filesystem::path& folder);

// Throws RunError with kDataError, which names all files that are missing, were changed or are not
// listed, or states why the list itself cannot be used; with kTrainingError where the system lacks
// descriptors or memory to find that out, which has no cause in the files.
void check_hashes(const std::filesystem::path& folder);

// The same for one file, if its folder has a list and it is in there: a file may be anywhere.
// Throws RunError with kDataError.
void check_listed_hash(const std::filesystem::path& file);

}  // namespace ptp::run
