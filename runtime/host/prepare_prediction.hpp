// The preparation of predictions: the experiment of a run or of a file, its plugins, and which
// streams to predict with which weights.

#pragma once

#include "base/diagnostics.hpp"
#include "host/prepare.hpp"
#include "pipeline/plan.hpp"
#include "pipeline/prediction.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ptp::host {

// The source of the predicting weights.
struct TrainedWeights {
    std::optional<std::filesystem::path> run;         // its folder: with the copies of its plugins
    std::optional<std::filesystem::path> checkpoint;  // its folder; nullopt: the experiment's
};

struct PreparedPrediction {
    Prepared prepared;                               // its plan is for processing one section
    std::optional<pipeline::Prediction> prediction;  // absent without a plan
};

// `request` selects the section in `processed`, at the latest in its `adapt`. `streams` are those
// to predict; none: those that the losses read. `files` are those that must exist besides the
// weights. Reports everything that is wrong.
PreparedPrediction prepare_prediction(Request& request, const TrainedWeights& weights,
                                      const std::vector<std::string>& streams,
                                      pipeline::NeededFiles files, Diagnostics& problems);

// Makes components without inputs, such as a loss without targets, inactive.
void allow_missing_inputs(experiment::Experiment& experiment);

// Reports, as missing data, missing files of the folder, and models of the plan that the run that
// wrote it did not have, which is known if the checkpoint is in its run.
void check_checkpoint(const std::filesystem::path& checkpoint, const pipeline::Plan& plan,
                      Diagnostics& problems);

}  // namespace ptp::host
