// Finds the data and weights that an experiment lacks and that `ptprun fetch` can download, by the
// list downloads.toml.

#pragma once

#include "engine/request.hpp"
#include "host/prepare.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace ptp::ptprun {

struct Download {
    std::vector<std::string> keys;  // that name the file or its folder: "training.task.data_folder"
    std::string url;
    std::filesystem::path path;  // where what the url has goes
    std::uint64_t bytes = 0;     // 0: not known
    std::string sha256;          // or its first digits
    // The wanted files of an archive, with the places where they go.
    std::map<std::string, std::filesystem::path> members = {};
};

// Returns the missing files of this list. REQUIRES: a plan. Throws RunError where the list
// cannot be read.
std::vector<Download> missing_downloads(const host::Prepared& prepared);

// Reports like report() of report.hpp. If only files are missing, those that can be fetched get the
// command `ptprun fetch` as their fix.
int report(const Diagnostics& problems, const host::Prepared& prepared,
           const host::Request& request);

// Adds that fix to an error of the engine: a folder that exists may lack files.
void advise_fetching(engine::RunResult& result, const host::Prepared& prepared,
                     const host::Request& request);

}  // namespace ptp::ptprun
