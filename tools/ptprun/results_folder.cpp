// Creates folders for the results of several trainings, by default with the time as name.

#include "results_folder.hpp"

#include "base/explanation.hpp"
#include "commands.hpp"
#include "run/run_folder.hpp"

#include <fmt/core.h>

#include <chrono>

namespace ptp::ptprun {

namespace fs = std::filesystem;

fs::path new_results_folder(const std::string& asked_for, const std::string& name) {
    try {
        if (asked_for.empty()) {
            return run::new_folder(run::runs_root() / name, std::chrono::system_clock::now());
        }
        if (fs::exists(asked_for) && !(fs::is_directory(asked_for) && fs::is_empty(asked_for))) {
            const std::string reason =
                fmt::format("--run-dir {}: is there already and not empty", asked_for);
            throw UsageError(
                fs::exists(fs::path(asked_for) / kSweepFile)
                    ? Explanation{reason + ", and the folder of a sweep; to continue it",
                                  "add --share"}
                          .text()
                    : reason);
        }
        fs::create_directories(asked_for);
        return asked_for;
    } catch (const fs::filesystem_error& error) {
        throw UsageError(fmt::format("cannot make the folder {}: {}", error.path1().string(),
                                     error.code().message()));
    }
}

}  // namespace ptp::ptprun
