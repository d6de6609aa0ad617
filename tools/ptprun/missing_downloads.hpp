// Errors about files that an experiment lacks: those whose source is known have `ptprun fetch` as
// their fix.

#pragma once

#include "engine/request.hpp"
#include "host/prepare.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace ptp::ptprun {

// A missing file, or an archive with missing files, as the list of the experiment declares it.
struct Download {
    std::vector<std::string> keys;  // that name the file or its folder: "training.task.data_folder"
    std::string url;
    std::filesystem::path path;                      // where the download is written
    std::vector<std::filesystem::path> wanted = {};  // the missing files, by each of their names
    std::uint64_t bytes = 0;                         // 0: not known
    std::string sha256;                              // or its first digits
    // The wanted files of an archive, with the places where they go.
    std::map<std::string, std::filesystem::path> members = {};
};

// Returns the missing files of this list; there must be a plan. Throws RunError where the list
// cannot be read.
std::vector<Download> missing_downloads(const host::Prepared& prepared);

// Completes a fix that is options to a command line, as whole_fix() does.
using CompletesFix = std::function<std::string(const std::string&)>;

// Reports the problems as report() with a catalog does. If only files are missing, those that can
// be fetched have the command as their fix. Other fixes set variables, as with_variables() has it.
int report(const Diagnostics& problems, const host::Prepared& prepared,
           const host::Request& request, const CompletesFix& completes = {});

// Adds the command as the fix where a component misses one of these files: a folder that exists may
// lack some. Another fix sets the variable from which its key takes the value, if it does.
void complete_fix(engine::RunResult& result, const host::Prepared& prepared,
                  const host::Request& request);

}  // namespace ptp::ptprun
