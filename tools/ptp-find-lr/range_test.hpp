// A range test of the learning rate: a short training whose rate rises exponentially from batch to
// batch, and what its losses say.
//
// Smith, "Cyclical learning rates for training neural networks" (2017), section 3.3; with an
// exponential rise as in fastai.
#pragma once

#include "experiment/experiment.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace ptp::find_lr {

struct RateRange {
    double from = 1e-7;
    double to = 10;
    std::int64_t episodes = 100;
};

// Makes the experiment a range test: the rate of episode i is from * (to / from) ** (i / (episodes
// - 1)), those of parameter groups rise in proportion. Validations, the test, warm-up and every end
// but that of the episodes are removed.
void make_range_test(experiment::Experiment& experiment, const RateRange& range);

struct RateFinding {
    // The line that is fitted to the losses around each rate, over the decimal logarithm of the
    // rate; shorter than the losses where they end by diverging.
    std::vector<double> smoothed;
    std::vector<double> slopes;  // of the loss, per factor 10 of the rate
    // The indices of rates; absent where the loss does not fall by more than it scatters.
    std::optional<std::size_t> steepest;  // where the loss falls fastest, before it is lowest
    std::optional<std::size_t> lowest;
    std::optional<std::size_t> diverged;  // the first that is not finite, or twice the first ones
};

// Reads the curve. Each loss is replaced by the value of a line, fitted by least squares to those
// within 1/12 of all on either side, so that the curve is not shifted to higher rates as it is by
// an exponential mean. `rates` increase, and are as many as `losses`.
RateFinding read_curve(const std::vector<double>& rates, const std::vector<double>& losses);

}  // namespace ptp::find_lr
