// What comes before predictions: the experiment of a run or of a file, its plugins, and which
// streams to predict with which weights.

#pragma once

#include "base/diagnostics.hpp"
#include "host/prepare.hpp"
#include "pipeline/prediction.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ptp::host {

// Whose weights predict.
struct TrainedWeights {
    std::optional<std::filesystem::path> run;         // its folder: with the copies of its plugins
    std::optional<std::filesystem::path> checkpoint;  // its folder; nullopt: what the experiment
                                                      // loads
};

struct PreparedPrediction {
    Prepared prepared;                               // its plan is made to process one section
    std::optional<pipeline::Prediction> prediction;  // absent without a plan
};

// `request` chooses the section in `processed`, at the latest in its `adapt`. `streams` are those
// to predict; none: those that the losses read. `files` are those that must be there besides the
// weights. Reports all that is wrong.
PreparedPrediction prepare_prediction(Request& request, const TrainedWeights& weights,
                                      const std::vector<std::string>& streams,
                                      pipeline::NeededFiles files, Diagnostics& problems);

// Components without what they read, such as a loss without targets, are inactive.
void allow_missing_inputs(experiment::Experiment& experiment);

}  // namespace ptp::host
