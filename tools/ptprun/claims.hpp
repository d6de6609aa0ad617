// Which runs of a sweep are whose, where several ptprun share its folder.

#pragma once

#include "run/process.hpp"
#include "run/status.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace ptp::ptprun {

// What all that share a folder must have in common.
struct SharedSweep {
    std::string experiment;         // SHA-256 of its file
    std::vector<std::string> runs;  // names of their folders
    std::vector<std::string> options;

    friend bool operator==(const SharedSweep&, const SharedSweep&) = default;
};

// Writes the description of the sweep into a folder that has none; else compares. Throws UsageError
// for a folder of another sweep, RunError where it cannot be written.
void join_sweep(const std::filesystem::path& folder, const SharedSweep& sweep);

// Files NAME.claim in the folder of a sweep, each of which one process alone can make, and which
// name it; NAME.claim.2 where that process is gone, and so on. What cannot be read is another
// process's.
class Claims {
public:
    Claims(std::filesystem::path folder, run::ProcessNote self, run::Machine machine);

    // Whether the run is this process's from now on: no other one has claimed it, or that one is
    // known to be gone. Throws RunError.
    bool claim(const std::string& name);

private:
    std::filesystem::path folder_;
    run::ProcessNote self_;
    run::Machine machine_;
};

}  // namespace ptp::ptprun
