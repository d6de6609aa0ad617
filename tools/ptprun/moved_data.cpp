// Finds missing data that a record names, and advises to name them by --set.

#include "moved_data.hpp"

#include "base/ranges.hpp"
#include "bundle/bundle.hpp"
#include "run/paths.hpp"
#include "run/read_run.hpp"

#include <filesystem>

namespace ptp::ptprun {

namespace {

namespace fs = std::filesystem;

bool is_record(const fs::path& file) {
    const fs::path folder = file.parent_path();
    return file.filename() == run::kExperimentFile &&
           (bundle::is_laid_out(folder) || run::is_run(folder));
}

// An item of a list has no --set, and what is computed stays as it is.
bool is_moved(const Problem& problem) {
    return problem.is_missing_data && !problem.key.starts_with("pipeline.") &&
           problem.key.find('[') == problem.key.npos && is_record(problem.place.file());
}

}  // namespace

void name_moved_data(std::vector<Problem>& problems, const std::vector<std::string>& fetched) {
    std::string sets;
    Problem* last = nullptr;
    for (Problem& problem : problems) {
        if (!is_moved(problem) || contains(fetched, problem.key)) {
            continue;
        }
        // A file of a similar name is other data, or the same ones under a new name.
        problem.message = problem.message.substr(0, problem.message.find("; did you mean "));
        problem.fix.clear();
        const bool is_folder = problem.key.ends_with("folder");
        sets +=
            (sets.empty() ? "--set " : " --set ") + problem.key + (is_folder ? "=FOLDER" : "=FILE");
        last = &problem;
    }
    if (last != nullptr) {
        last->fix = sets;
    }
}

}  // namespace ptp::ptprun
