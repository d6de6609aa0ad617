#include "run/find_runs.hpp"

#include "run/paths.hpp"
#include "run/read_run.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <system_error>

namespace ptp::run {

namespace fs = std::filesystem;

namespace {

constexpr int kMaxFolderLevels = 8;  // for nested folders of sweeps

bool has_file(const fs::path& file) {
    std::error_code ignored;
    return fs::exists(fs::symlink_status(file, ignored));
}

void search(const fs::path& folder, const Machine& machine, int level, std::vector<Run>& runs) {
    if (is_run(folder)) {
        runs.push_back(read_run(folder, machine));
        return;
    }
    std::error_code error;
    std::vector<fs::path> folders;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
        std::error_code ignored;
        if (fs::is_directory(it->symlink_status(ignored))) {
            folders.push_back(it->path());
        }
    }
    if (error) {
        Run run;
        run.folder = folder;
        run.state = "unreadable";
        run.problem = fmt::format("cannot be searched: {}", error.message());
        runs.push_back(std::move(run));
    }
    if (level == kMaxFolderLevels) {
        return;
    }
    std::ranges::sort(folders);
    for (const fs::path& below : folders) {
        search(below, machine, level + 1, runs);
    }
}

}  // namespace

bool is_run(const fs::path& folder) {
    return has_file(folder / kStatusFile) || has_file(folder / kExperimentFile);
}

std::vector<Run> find_runs(const fs::path& folder, const Machine& machine) {
    std::vector<Run> runs;
    search(folder, machine, 0, runs);
    return runs;
}

}  // namespace ptp::run
