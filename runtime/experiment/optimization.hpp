// How the weights are changed: what [training] says of optimizer, learning rate and gradients.

#pragma once

#include "base/source_location.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ptp::experiment {

// `type` decides which of the others count; torch's defaults.
struct Optimizer {
    std::string type;  // SGD, Adam, AdamW, RMSprop, Adagrad, LBFGS
    double lr = 0;
    double weight_decay = 0;                     // all but LBFGS
    double momentum = 0;                         // SGD, RMSprop
    double dampening = 0;                        // SGD
    bool nesterov = false;                       // SGD
    std::array<double, 2> betas = {0.9, 0.999};  // Adam, AdamW
    double eps = 1e-8;                           // Adam, AdamW, RMSprop, Adagrad
    bool amsgrad = false;                        // Adam, AdamW
    double alpha = 0.99;                         // RMSprop
    bool centered = false;                       // RMSprop
    double lr_decay = 0;                         // Adagrad
    double initial_accumulator_value = 0;        // Adagrad
    std::int64_t max_iter = 20;                  // LBFGS, and all that follow
    std::optional<std::int64_t> max_eval = {};   // absent: 5/4 of max_iter
    double tolerance_grad = 1e-7;
    double tolerance_change = 1e-9;
    std::int64_t history_size = 100;
    std::string line_search_fn = "none";  // or "strong_wolfe"
};

// A component whose parameters have options of their own.
struct ParameterGroup {
    std::string component;
    SourceLocation place;    // of its key
    Optimizer options;       // the optimizer's, with what the group says in place of it
    bool is_frozen = false;  // nothing of it is trained, all else continues as in training
};

// `type` decides which of the others count. PyTorch's names and formulas.
struct Scheduler {
    std::string type;            // StepLR, MultiStepLR, ExponentialLR, CosineAnnealingWarmRestarts,
                                 // OneCycleLR, ReduceLROnPlateau
    double gamma = 0.1;          // StepLR, MultiStepLR, ExponentialLR
    std::int64_t step_size = 1;  // StepLR: epochs
    std::vector<std::int64_t> milestones = {};        // MultiStepLR: epochs, increasing
    std::int64_t first_period = 1;                    // CosineAnnealingWarmRestarts, `T_0`: epochs
    std::int64_t period_factor = 1;                   // `T_mult`
    double eta_min = 0;                               // the learning rate at the end of a period
    std::optional<std::int64_t> total_episodes = {};  // OneCycleLR; absent: those of the limits
    double pct_start = 0.3;
    std::string anneal_strategy = "cos";  // or "linear"
    double div_factor = 25;
    double final_div_factor = 1e4;
    bool three_phase = false;
    bool cycle_momentum = true;  // by default where the optimizer has momentum: has_momentum()
    double base_momentum = 0.85;
    double max_momentum = 0.95;
    double factor = 0.1;         // ReduceLROnPlateau, and all that follow
    std::int64_t patience = 10;  // validations
    double threshold = 1e-4;
    std::string threshold_mode = "rel";  // or "abs"
    std::int64_t cooldown = 0;           // validations
    double min_lr = 0;
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
    bool looks_at_gradients = false;  // where [training] says what to do
};

// The weight of a loss in what is minimized.
struct LossWeight {
    std::string loss;      // the name of its stream
    SourceLocation place;  // of its key
    double weight = 1;
};

// A part of Training.
struct Optimization {
    Optimizer optimizer;
    std::vector<ParameterGroup> groups;
    std::optional<Scheduler> scheduler;
    std::optional<WarmUp> warm_up;
    std::optional<GradientClipping> gradient_clipping;
    std::int64_t accumulate = 1;        // batches for each step of the optimizer
    std::string precision = "float32";  // or "bf16": of the components' work in training
    std::optional<WeightAverage> weight_average;
    BadLoss bad_loss;
    std::vector<LossWeight> loss_weights;
};

}  // namespace ptp::experiment
