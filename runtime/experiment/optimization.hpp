// How the weights are changed: what [training] specifies for optimizer, learning rate and
// gradients.

#pragma once

#include "base/source_location.hpp"
#include "optimizer/optimizers.hpp"
#include "schedule/schedules.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ptp::experiment {

// A component whose parameters have options of their own.
struct ParameterGroup {
    std::string component;
    SourceLocation place;    // of its key
    optimizer::Any options;  // the optimizer's, overridden by the group's
    bool is_frozen = false;  // nothing of it is trained, all else continues as in training
};

// The learning rate grows linearly over the first episodes.
struct WarmUp {
    std::int64_t episodes = 0;
    double start_factor = 0.01;
};

struct GradientClipping {
    bool is_by_norm = false;  // else every element of a gradient is cut to +- the limit
    double limit = 0;
};

// An exponential moving average of the weights.
struct WeightAverage {
    double decay = 0.999;
    std::int64_t start_episode = 0;
};

// What follows a loss or a gradient that is not a finite number.
struct BadLoss {
    std::string action = "stop";      // "skip", "rollback"
    std::int64_t limit = 10;          // skip, rollback: how often, in a run
    double lr_factor = 0.5;           // rollback: of the learning rate from then on
    bool looks_at_gradients = false;  // where [training] specifies what to do
};

// The weight of a loss in what is minimized.
struct LossWeight {
    std::string loss;      // the name of its stream
    SourceLocation place;  // of its key
    double weight = 1;
};

// A part of Training.
struct Optimization {
    optimizer::Any optimizer;
    std::vector<ParameterGroup> groups;
    std::optional<schedule::Any> scheduler;
    std::optional<WarmUp> warm_up;
    std::optional<GradientClipping> gradient_clipping;
    std::int64_t accumulate = 1;        // batches for each step of the optimizer
    std::string precision = "float32";  // "bf16", "fp16": of the components' work in training
    std::optional<WeightAverage> weight_average;
    BadLoss bad_loss;
    std::vector<LossWeight> loss_weights;
};

}  // namespace ptp::experiment
