// The part of a pipeline that is needed to predict: the streams that a person wants to see, and the
// components that they come from.

#pragma once

#include "base/diagnostics.hpp"
#include "pipeline/plan.hpp"

#include <set>
#include <string>
#include <vector>

namespace ptp::pipeline {

// A stream to predict.
struct PredictedStream {
    int stream = -1;   // index into Plan::streams
    int targets = -1;  // the stream that a loss compares it with; -1: none, or it is not written
    bool is_class_scores = false;  // a loss reads it beside integers: a score for each class
    // A loss reads it beside a 1 or a 0 for each class of the task: samples have several classes.
    bool has_several_classes = false;
    // A loss reads it beside a single 1 or 0 for the two classes of the task.
    bool is_yes_or_no = false;
    bool are_logits = false;  // a loss turns the scores into probabilities
    // They are probabilities already, such as those that a softmax of the phase "predict" writes.
    bool are_probabilities = false;
    // Globals that components read or write which this stream or its targets pass through, such as
    // tables with the names of its classes.
    std::vector<std::string> globals = {};
    // The global with the names of the task's classes, whether its task publishes it for these
    // samples or not; "" without one.
    std::string class_names = {};
    // The global with the means and deviations of the targets, which are standardized; "": they are
    // not.
    std::string value_scales = {};
};

struct PredictionLoss {
    int node = -1;    // index into Plan::nodes
    int output = -1;  // index into its outputs
    std::string name;
};

struct Prediction {
    std::vector<PredictedStream> streams;
    std::vector<PredictionLoss> losses;  // that run on the section's batches
    // The streams of models that losses read, if no loss judges what is predicted.
    std::vector<std::string> judged_elsewhere;
    int files = -1;                            // the stream with the samples' files; -1: none
    PredictedStream next_word;                 // the first scores of classes; stream -1: none
    std::vector<std::string> without_targets;  // names of components that lack a stream
    std::vector<std::string> not_needed;       // components that nothing to predict comes from
};

// Finds the streams of these names in a plan that was made to process one section; without names
// the streams of models that losses read, and if there are no losses the streams of models and
// transforms that no component reads. In place of scores for each word of a sentence the texts are
// taken that transforms make of them, if there are any. Leaves in the plan the components that
// these streams and the losses depend on. Reports unknown streams.
Prediction find_prediction(Plan& plan, const std::vector<std::string>& names,
                           Diagnostics& problems);

// Returns these streams, and those that they are computed from.
std::set<int> needed_streams(const Plan& plan, std::set<int> needed);
std::set<int> needed_streams(const Plan& plan, const Prediction& prediction);

}  // namespace ptp::pipeline
