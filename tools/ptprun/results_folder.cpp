// Creates folders for the results of several trainings, by default with the time as name.

#include "results_folder.hpp"

#include "base/duration.hpp"
#include "commands.hpp"
#include "run/paths.hpp"

#include <fmt/core.h>

#include <ctime>

namespace ptp::ptprun {

namespace fs = std::filesystem;

namespace {

fs::path new_folder(const fs::path& parent) {
    fs::create_directories(parent);
    const std::string stamp = stamp_text(std::time(nullptr));
    fs::path folder = parent / stamp;
    for (int i = 2; !fs::create_directory(folder); ++i) {
        folder = parent / fmt::format("{}_{}", stamp, i);
    }
    return folder;
}

}  // namespace

fs::path new_results_folder(const std::string& asked_for, const std::string& name) {
    try {
        if (asked_for.empty()) {
            return new_folder(run::runs_root() / name);
        }
        if (fs::exists(asked_for) && !(fs::is_directory(asked_for) && fs::is_empty(asked_for))) {
            throw UsageError(
                fmt::format("--run-dir {}: is there already and not empty", asked_for));
        }
        fs::create_directories(asked_for);
        return asked_for;
    } catch (const fs::filesystem_error& error) {
        throw UsageError(fmt::format("cannot make the folder {}: {}", error.path1().string(),
                                     error.code().message()));
    }
}

}  // namespace ptp::ptprun
