// Makes range tests of experiments, and reads their curves.

#include "ptp-find-lr/range_test.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <variant>

namespace ptp::find_lr {

namespace {

constexpr std::size_t kWindowShare = 12;
constexpr std::size_t kMinWindow = 2;  // losses on either side

struct Line {
    double value = 0;  // at the point of the fit
    double slope = 0;
    double residual = 0;  // root of the mean square
};

// Fits a line to the points [begin, end) of x and y, and evaluates it at `at`.
Line fitted(const std::vector<double>& x, const std::vector<double>& y, std::size_t begin,
            std::size_t end, double at) {
    const auto count = static_cast<double>(end - begin);
    double mean_x = 0;
    double mean_y = 0;
    for (std::size_t i = begin; i < end; ++i) {
        mean_x += x[i] / count;
        mean_y += y[i] / count;
    }
    double squares = 0;
    double products = 0;
    for (std::size_t i = begin; i < end; ++i) {
        squares += (x[i] - mean_x) * (x[i] - mean_x);
        products += (x[i] - mean_x) * (y[i] - mean_y);
    }
    Line line;
    line.slope = squares > 0 ? products / squares : 0;
    line.value = mean_y + line.slope * (at - mean_x);
    for (std::size_t i = begin; i < end; ++i) {
        const double difference = y[i] - mean_y - line.slope * (x[i] - mean_x);
        line.residual += difference * difference / count;
    }
    line.residual = std::sqrt(line.residual);
    return line;
}

std::size_t window_of(std::size_t count) {
    return std::max(kMinWindow, count / kWindowShare);
}

// Returns the number of losses before the first that is not finite or too large.
std::size_t usable(const std::vector<double>& losses) {
    const std::size_t first_ones = std::min(window_of(losses.size()), losses.size());
    double first = 0;
    for (std::size_t i = 0; i < first_ones; ++i) {
        first += losses[i] / static_cast<double>(first_ones);
    }
    const auto end = std::ranges::find_if(losses, [&](double loss) {
        return !std::isfinite(loss) || loss > first + std::abs(first);
    });
    return static_cast<std::size_t>(end - losses.begin());
}

}  // namespace

void make_range_test(experiment::Experiment& experiment, const RateRange& range) {
    experiment.validation.reset();
    experiment.other_validations.clear();
    experiment.partial_validation_interval = 0;
    experiment.test.reset();
    experiment.records = {};
    experiment.checkpoint.every_epochs = 0;
    experiment.checkpoint.every_episodes = 0;

    experiment::Training& training = experiment.training;
    training.judge.reset();
    training.judging_set.clear();
    training.warm_up.reset();
    training.bad_loss = {};
    training.terminal_conditions = {.loss_stop_threshold = std::nullopt,
                                    .early_stop_validations = 0,
                                    .epoch_limit = std::numeric_limits<std::int32_t>::max(),
                                    .episode_limit = range.episodes,
                                    .wall_time = {},
                                    .divergence_factor = 0};
    const double own = std::visit([](const auto& one) { return one.lr; }, training.optimizer);
    const auto begin_at = [&](auto& one) {
        one.lr = own > 0 ? one.lr / own * range.from : range.from;
    };
    for (experiment::ParameterGroup& group : training.groups) {
        std::visit(begin_at, group.options);
    }
    std::visit(begin_at, training.optimizer);
    schedule::LambdaLr rise;
    rise.lr_lambda =
        fmt::format("({} / {}) ** (episode / {})", range.to, range.from, range.episodes - 1);
    training.scheduler = rise;
}

RateFinding read_curve(const std::vector<double>& rates, const std::vector<double>& losses) {
    RateFinding finding;
    const std::size_t count = usable(losses);
    if (count < losses.size()) {
        finding.diverged = count;
    }
    const std::size_t window = window_of(losses.size());
    if (count <= 2 * window) {
        return finding;
    }
    std::vector<double> logarithms(count);
    std::ranges::transform(rates.begin(), rates.begin() + static_cast<std::ptrdiff_t>(count),
                           logarithms.begin(), [](double rate) { return std::log10(rate); });
    double scatter = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t begin = i - std::min(window, i);
        const std::size_t end = std::min(i + window + 1, count);
        const Line line = fitted(logarithms, losses, begin, end, logarithms[i]);
        finding.smoothed.push_back(line.value);
        finding.slopes.push_back(line.slope);
        scatter += line.residual / static_cast<double>(count);
    }
    const auto lowest = static_cast<std::size_t>(std::ranges::min_element(finding.smoothed) -
                                                 finding.smoothed.begin());
    const auto steepest = static_cast<std::size_t>(
        std::min_element(finding.slopes.begin(),
                         finding.slopes.begin() + static_cast<std::ptrdiff_t>(lowest) + 1) -
        finding.slopes.begin());
    const double highest =
        *std::max_element(finding.smoothed.begin(),
                          finding.smoothed.begin() + static_cast<std::ptrdiff_t>(lowest) + 1);
    if (highest - finding.smoothed[lowest] > 2 * scatter && finding.slopes[steepest] < 0) {
        finding.lowest = lowest;
        finding.steepest = steepest;
    }
    return finding;
}

}  // namespace ptp::find_lr
