// Finds installed models by their names.

#include "bundle/installed_models.hpp"

#include "base/text.hpp"
#include "bundle/manifest.hpp"
#include "plugin/search_path.hpp"
#include "run/paths.hpp"
#include "run/read_run.hpp"
#include "run/resolve.hpp"

#include <string>
#include <system_error>

namespace ptp::bundle {

namespace fs = std::filesystem;

fs::path models_folder(const fs::path& beside) {
    return beside.empty() ? fs::path() : beside.parent_path() / "models";
}

bool is_model_name(std::string_view name) {
    return is_snake_case(name) && name != run::kLastCheckpoint && name != run::kBestCheckpoint;
}

namespace {

// Returns whether a path is a file, or the folder of a run or of a checkpoint: a folder with
// anything else is no model.
bool is_in_the_way(const fs::path& path) {
    std::error_code ignored;  // what cannot be looked at is not in the way
    return fs::exists(path, ignored) && (!fs::is_directory(path, ignored) || run::is_run(path) ||
                                         fs::exists(path / experiment::kWeightsFile, ignored));
}

}  // namespace

std::optional<fs::path> installed_model(std::string_view word, const fs::path& folder,
                                        const fs::path& executable) {
    std::error_code ignored;  // what cannot be looked at is not installed
    if (!is_model_name(word) || is_in_the_way(folder / word) ||
        run::is_run(folder / run::kRunsFolder / word) || run::is_run(run::runs_root() / word)) {
        return std::nullopt;
    }
    for (const fs::path& plugins : {plugin::user_folder(), plugin::system_folder(executable)}) {
        const fs::path models = models_folder(plugins);
        fs::path file = models / (std::string(word) + kBundleEnding);
        if (!models.empty() && fs::is_regular_file(file, ignored)) {
            return file;
        }
    }
    return std::nullopt;
}

}  // namespace ptp::bundle
