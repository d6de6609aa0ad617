#include "host/prepare_resume.hpp"

#include "base/error.hpp"
#include "base/exit_code.hpp"
#include "host/run_plugins.hpp"
#include "pipeline/assemble.hpp"
#include "run/format.hpp"
#include "run/paths.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <system_error>
#include <vector>

namespace ptp::host {

namespace fs = std::filesystem;

namespace {

// Sections that are only processed, where --set changes them; their tasks may come from plugins
// that the run does not have.
void check_processed(const Request& asked, const std::vector<fs::path>& copies,
                     const Prepared& prepared, Diagnostics& problems) {
    const bool are_changed = std::ranges::any_of(asked.overrides, [](const std::string& value) {
        return value.starts_with("process.") || value.starts_with("process=");
    });
    if (!are_changed || !prepared.plan) {
        return;
    }
    const plugin::Catalog catalog = find_plugins({.file = asked.file,
                                                  .overrides = {},
                                                  .plugins = asked.plugins,
                                                  .run_plugins = copies,
                                                  .uses_search_path = true,
                                                  .is_safe = asked.is_safe},
                                                 prepared.experiment);
    pipeline::check_processed_tasks(prepared.experiment, catalog, home_folder(), problems);
}

// The experiment as it continues, with the plugins that the checkpoint was written with.
void prepare_stages(const fs::path& run, const fs::path& checkpoint, const Request& asked,
                    PreparedResume& resume, Diagnostics& problems) {
    const auto copies = plugins_of(run, checkpoint, problems, asked.plugins);
    if (!problems.ok()) {
        resume.exit_code = kPluginError;
        return;
    }
    resume.prepared = prepare({.file = resume.stages.file.string(),
                               .overrides = resume.stages.values,
                               .plugins = asked.plugins,
                               .run_plugins = copies,
                               .is_safe = asked.is_safe},
                              problems, pipeline::NeededFiles::kIgnored);
    check_processed(asked, copies, resume.prepared, problems);
    resume.exit_code = exit_code_for(problems, resume.prepared.catalog);
    if (!problems.ok()) {
        resume.prepared.plan.reset();
    }
}

}  // namespace

std::optional<std::string> not_a_run(const fs::path& run) {
    std::error_code ignored;
    if (fs::exists(run / run::kExperimentFile, ignored)) {
        return std::nullopt;
    }
    return fmt::format("{} is not a run folder: it has no {}", run.string(), run::kExperimentFile);
}

run::Status status_of(const fs::path& run) {
    std::error_code ignored;  // a pipe or a folder counts as a missing file
    if (!fs::is_regular_file(run / run::kStatusFile, ignored)) {
        return {};
    }
    try {
        return run::read_status(run / run::kStatusFile);
    } catch (const run::NewerFormat&) {
        throw;
    } catch (const RunError&) {
        return {};
    }
}

PreparedResume prepare_resume(const fs::path& run, const fs::path& checkpoint,
                              const std::string& end, const Request& asked, Diagnostics& problems) {
    const fs::path folder =
        checkpoint.empty() ? run / run::kCheckpointsFolder / run::kLastCheckpoint : checkpoint;
    PreparedResume resume;
    resume.prepared.overrides = asked.overrides;
    resume.stages = stages_of(run, asked.overrides, problems);
    resume.standing = standing_at(run, folder);
    const bool is_known = resume.standing && !resume.stages.experiments.empty();
    if (problems.ok() && is_known && !asked.overrides.empty()) {
        check_limits(resume.stages, *resume.standing, problems);
    }
    if (!problems.ok()) {
        resume.exit_code = exit_code_for(problems, resume.prepared.catalog);
        return resume;
    }
    if (is_known && stays_diverged(resume.stages, *resume.standing)) {
        resume.diverged = why_diverged(run, end);
        resume.exit_code = asked.overrides.empty() ? kDiverged : kConfigurationError;
        return resume;
    }
    prepare_stages(run, folder, asked, resume, problems);
    return resume;
}

}  // namespace ptp::host
