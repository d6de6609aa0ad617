// The settings of [training] for optimizer, learning rate and gradients.

#pragma once

#include "base/source_location.hpp"
#include "experiment/optimizer/optimizers.hpp"
#include "experiment/schedule/schedules.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ptp::experiment {

// The options of a component whose parameters have their own.
struct ParameterGroup {
    std::string component;
    SourceLocation place;    // place of its key
    optimizer::Any options;  // the optimizer's, overridden by the group's
    bool is_frozen = false;  // its parameters are not trained; all else continues
};

// A linear increase of the learning rate over the first episodes.
struct WarmUp {
    std::int64_t episodes = 0;
    double start_factor = 0.01;
};

struct GradientClipping {
    bool is_by_norm = false;  // otherwise each element of a gradient is clipped to +- the limit
    double limit = 0;
};

// An exponential moving average of the weights.
struct WeightAverage {
    double decay = 0.999;
    std::int64_t start_episode = 0;
};

// The reaction to a loss or a gradient that is not finite.
struct BadLoss {
    std::string action = "stop";      // "skip", "rollback"
    std::int64_t limit = 10;          // skip, rollback: maximum number in a run
    double lr_factor = 0.5;           // rollback: multiplies the learning rate
    bool looks_at_gradients = false;  // only if [training] specifies an action
};

// The weight of a loss in the minimized sum.
struct LossWeight {
    std::string loss;      // name of its stream
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
    std::int64_t accumulate = 1;        // batches per step of the optimizer
    std::string precision = "float32";  // "bf16", "fp16": of the components in training
    std::optional<WeightAverage> weight_average;
    BadLoss bad_loss;
    std::vector<LossWeight> loss_weights;
};

}  // namespace ptp::experiment
