// Finds the runs and installed models that `load` names.

#include "host/loaded_weights.hpp"

#include "bundle/installed_models.hpp"
#include "host/open_engine.hpp"
#include "run/paths.hpp"
#include "run/resolve.hpp"

#include <filesystem>
#include <string>
#include <system_error>
#include <variant>
#include <vector>

namespace ptp::host {

namespace fs = std::filesystem;

namespace {

// `load` names a run or a model as commands do, also below the `runs` beside the experiment.
void name_loaded_run(experiment::Load& load, const std::string& path, bool is_needed,
                     Diagnostics& problems) {
    std::error_code ignored;  // what cannot be looked at is reported by who opens it
    const fs::path folder = fs::absolute(load.place.file(), ignored).parent_path();
    if (const auto model = bundle::installed_model(load.written, folder, program_path())) {
        load.from = *model;
        return;
    }
    const fs::path name =
        fs::absolute(load.from, ignored).lexically_normal().lexically_relative(folder);
    std::vector<fs::path> words = {load.from};
    if (!name.empty() && *name.begin() != "..") {
        words.insert(words.end(), {folder / run::kRunsFolder / name, run::runs_root() / name});
    }
    std::string why;  // of the first; a folder of data may have the name of an experiment
    for (const fs::path& word : words) {
        const auto found = run::resolve(word, run::this_machine());
        if (const auto* unknown = std::get_if<run::UnknownRun>(&found)) {
            why = why.empty() ? unknown->why : why;
        } else if (fs::exists(std::get<fs::path>(found), ignored)) {
            load.from = std::get<fs::path>(found);
            return;
        }
    }
    if (!why.empty() && is_needed) {
        problems.missing_data(load.place, path + ".load", why);
    }
}

}  // namespace

bool name_loaded_runs(experiment::Experiment& experiment, bool are_needed, Diagnostics& problems) {
    const std::size_t errors = problems.error_count();
    if (experiment.pipeline.load) {
        name_loaded_run(*experiment.pipeline.load, "pipeline", are_needed, problems);
    }
    for (experiment::ComponentEntry& entry : experiment.pipeline.components) {
        if (entry.is_enabled && entry.load) {
            name_loaded_run(*entry.load, entry.path, are_needed, problems);
        }
    }
    return problems.error_count() == errors;
}

}  // namespace ptp::host
