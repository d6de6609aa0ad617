// Prepares a run to continue, and records the values that change.

#include "host/prepare_resume.hpp"

#include "base/error.hpp"
#include "base/exit_code.hpp"
#include "base/paths.hpp"
#include "experiment/load/override.hpp"
#include "host/run_plugins.hpp"
#include "pipeline/assemble.hpp"
#include "run/format.hpp"
#include "run/paths.hpp"
#include "run/resolve.hpp"
#include "schema/key_path.hpp"

#include <algorithm>
#include <system_error>

namespace ptp::host {

namespace fs = std::filesystem;

namespace {

bool is_of_processed(const std::string& value) {
    Diagnostics reported_before;
    const auto set = experiment::read_override(value, 1, reported_before);
    return set && set->path.front() == "process";
}

// Returns the text of an override with the experiment's value.
std::string with_value_of(const Value& tree, const std::string& text) {
    Diagnostics reported_before;
    const auto set = experiment::read_override(text, 1, reported_before);
    const Value* value = &tree;
    std::string key;
    for (const std::string& part : set->path) {
        value = value == nullptr ? nullptr : value->find(part);
        key = schema::below(key, part);
    }
    return value == nullptr ? text : experiment::override_text(key, *value);
}

void record_values(PreparedResume& resume) {
    experiment::Experiment experiment = resume.prepared.experiment;
    for (experiment::Section& section : experiment.processed) {
        for (const pipeline::Node& task : resume.prepared.plan->only_recorded) {
            for (std::size_t i = 0; task.path == section.task.path && i < task.settings.size();
                 ++i) {
                if (task.settings[i]) {
                    section.task.settings.set(task.component->settings[i].name, *task.settings[i]);
                }
            }
        }
    }
    const Value tree = experiment::resolved_tree(experiment);
    for (std::string& text : resume.new_values) {
        text = is_of_processed(text) ? with_value_of(tree, text) : text;
    }
}

// Checks sections that are only processed, if --set changes them; their tasks may come from plugins
// that the run does not have.
void check_processed(const Request& asked, const std::vector<fs::path>& copies,
                     PreparedResume& resume, Diagnostics& problems) {
    Prepared& prepared = resume.prepared;
    if (!std::ranges::any_of(asked.overrides, is_of_processed) || !prepared.plan) {
        return;
    }
    resume.processed_catalog = find_plugins({.file = asked.file,
                                             .overrides = {},
                                             .plugins = asked.plugins,
                                             .run_plugins = copies,
                                             .uses_search_path = true,
                                             .is_safe = asked.is_safe},
                                            prepared.experiment);
    for (const pipeline::Draft& draft : pipeline::draft_processed_tasks(
             prepared.experiment, resume.processed_catalog, home_folder(), problems)) {
        prepared.plan->only_recorded.push_back(draft.node);
    }
    record_values(resume);
}

// Prepares the experiment as it continues, with the plugins of the checkpoint.
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
    resume.new_values = asked.overrides;
    check_processed(asked, copies, resume, problems);
    if (problems.ok() && resume.standing) {
        check_changes(resume.stages, *resume.standing, problems);
    }
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
    return run::without_experiment(run);
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
    resume.standing = standing_at(run, folder);
    std::optional<std::uint64_t> until;
    if (!checkpoint.empty() && resume.standing) {
        until = static_cast<std::uint64_t>(resume.standing->episodes);
    }
    resume.stages = stages_of(run, asked.overrides, problems, until);
    const bool is_known = resume.standing && !resume.stages.experiments.empty();
    if (problems.ok() && is_known && !asked.overrides.empty()) {
        check_limits(resume.stages, *resume.standing, problems);
    }
    if (!problems.ok()) {
        resume.exit_code = exit_code_for(problems, resume.prepared.catalog);
        return resume;
    }
    if (is_known && stays_diverged(resume.stages, *resume.standing)) {
        resume.diverged = why_diverged(run, resume.stages, *resume.standing, end);
        resume.exit_code = asked.overrides.empty() ? kDiverged : kConfigurationError;
        return resume;
    }
    prepare_stages(run, folder, asked, resume, problems);
    return resume;
}

}  // namespace ptp::host
