// The experiment of a run as `ptprun resume --set` has changed it: stage 0 is what the run began
// with, each further one what a `set` entry of its journal has made of it.
//
// experiment.toml is the stage that is active; before the first change it is copied to
// experiment_at_start.toml, from which a replay begins.

#pragma once

#include "engine/optim/optimization.hpp"
#include "experiment/experiment.hpp"
#include "pipeline/plan.hpp"

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace ptp::engine {

// The file with what the run in this folder began with.
std::filesystem::path first_experiment(const std::filesystem::path& run);

// The text of experiment.toml.
std::string experiment_text(const experiment::Experiment& experiment, const pipeline::Plan& plan);

// [main]
class Stages {
public:
    // What must outlive it. `active` is what the training reads; of it only what `resume` may
    // change is written.
    struct Parts {
        experiment::Experiment& active;
        const pipeline::Plan& plan;
        std::filesystem::path run;  // "": another process writes the files
    };

    // Stage 0 is active. REQUIRES: at least one, and none differs from another in what it may not.
    Stages(const Parts& parts, std::vector<experiment::Experiment> stages);

    // The training continues at this stage, with an optimization that was restored from there.
    void resume_at(std::size_t stage, Optimization& optimization);

    // The next stage takes effect here, and is in experiment.toml when it returns. Returns the
    // changes, for a person. `begin` is from where a schedule and a warm-up that it changes count.
    // Throws RunError if there is no next stage.
    std::string advance(Optimization& optimization, const TrainingPosition& here,
                        const TrainingPosition& begin);

private:
    void write() const;

    Parts parts_;
    std::vector<experiment::Experiment> stages_;
    std::size_t current_ = 0;
};

}  // namespace ptp::engine
