// The experiment of a run and its changes by `ptprun resume --set`: stage 0 is the experiment at
// the start, each further stage results from a `set` entry of the run's journal.
//
// experiment.toml is the active stage; before the first change it is copied to
// experiment_at_start.toml, from which a replay begins.

#pragma once

#include "engine/optimizer/optimization.hpp"
#include "experiment/experiment.hpp"
#include "pipeline/plan.hpp"

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace ptp::engine {

// Returns the file of the experiment with which the run in this folder began.
std::filesystem::path first_experiment(const std::filesystem::path& run);

// Returns the experiment with all settings of its tasks and enabled components from the plan, so
// that its record keeps its meaning under a newer plugin with other defaults. The plan was made
// from this experiment.
experiment::Experiment with_settings(experiment::Experiment experiment, const pipeline::Plan& plan);

// Calls `visit` with the settings of each task and component, and the path of its table.
template <class Visit>
void for_each_settings(experiment::Experiment& experiment, const Visit& visit) {
    for (experiment::Section* section : experiment::all_sections(experiment)) {
        visit(section->task.path, section->task.settings);
    }
    for (experiment::ComponentEntry& entry : experiment.pipeline.components) {
        visit(entry.path, entry.settings);
    }
}

// Returns the text of experiment.toml.
std::string experiment_text(const experiment::Experiment& experiment, const pipeline::Plan& plan);

// [main]
class Stages {
public:
    // Parts that must outlive it. The training reads `active`; only what `resume` may change is
    // written to it.
    struct Parts {
        experiment::Experiment& active;
        const pipeline::Plan& plan;
        std::filesystem::path run;  // "" if another process writes the files
    };

    // Stage 0 is active; without stages, it is the only one. They differ in what `resume` may
    // change alone.
    Stages(const Parts& parts, std::vector<experiment::Experiment> stages);

    // The training continues at this stage, with an optimization that was restored from it.
    void resume_at(std::size_t stage, Optimization& optimization);

    // Applies the next stage, which is in experiment.toml when it returns. Returns the changes, for
    // users. Schedules and warm-ups that it changes count from `begin`. Throws RunError if there is
    // no next stage.
    std::string advance(Optimization& optimization, const TrainingPosition& here,
                        const TrainingPosition& begin);

    // Makes experiment.toml that of the current stage.
    void write() const;

private:
    Parts parts_;
    std::vector<experiment::Experiment> stages_;
    std::size_t current_ = 0;
};

}  // namespace ptp::engine
