// The meanings of ports and of the numbers in streams: scores, probabilities, other numbers.

#pragma once

#include "pipeline/evaluate.hpp"
#include "pipeline/plan.hpp"

#include <string>
#include <vector>

namespace ptp::pipeline {

// The meaning of numbers that are 0 or more.
inline constexpr const char* kFromZero = "non_negative";
// The meaning of numbers from -1 to 1.
inline constexpr const char* kWithinOne = "within_one";

// Returns the declared meanings of a port; none if nothing is declared for these settings.
std::vector<std::string> meanings_of(const plugin::Port& port, const Settings& settings);

// In limited_predictions.cpp.

// Returns whether the numbers of a stream are declared to be probabilities on the batches of the
// plan's first task: that of the training, or the one that is processed.
bool are_probabilities(const Plan& plan, int stream);

// A loss that compares numbers from 0 to 1, such as those of a sigmoid, or from 0 on, with targets
// that may be any numbers.
struct LimitedPredictions {
    int targets = -1;               // index into Plan::streams
    double lowest = 0;              // of the predictions
    double highest = 1;             // infinity: they have no upper limit
    bool are_standardized = false;  // the targets: their mean is 0, their deviation 1
    const Node* loss = nullptr;
    std::string writer;  // "layer 3 of 'net' (Sigmoid)"
    std::string fix;     // "leave out pipeline.net.layers[3], "Sigmoid""
};

// Returns those of the plan whose losses count all targets.
std::vector<LimitedPredictions> limited_predictions(const Plan& plan);

// Returns "compares predictions of WRITER, which stay between 0 and 1".
std::string text_of_limit(const LimitedPredictions& one);

}  // namespace ptp::pipeline
