// Range tests of the learning rate: curves of known form, and the experiment that is trained.

#include "ptp-find-lr/range_test.hpp"
#include "experiment/experiment.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <variant>
#include <vector>

namespace range_test_test {

using ptp::find_lr::make_range_test;
using ptp::find_lr::RateFinding;
using ptp::find_lr::read_curve;

namespace {

struct Curve {
    std::vector<double> rates;
    std::vector<double> losses;
};

// Returns 121 rates from 1e-6 to 1, 20 for each factor of 10, with the losses of a function of
// their logarithms.
Curve curve_of(const std::function<double(double)>& loss) {
    Curve curve;
    for (int i = 0; i <= 120; ++i) {
        const double logarithm = -6 + i / 20.0;
        curve.rates.push_back(std::pow(10, logarithm));
        curve.losses.push_back(loss(logarithm));
    }
    return curve;
}

}  // namespace

TEST_CASE("range test: the suggestion is the turning point of a falling curve") {
    // A logistic curve is steepest where its argument is 0, here at 1e-3, which has the index 60.
    const Curve curve = curve_of([](double x) { return 2 - 1.5 / (1 + std::exp(-4 * (x + 3))); });
    const RateFinding finding = read_curve(curve.rates, curve.losses);
    CHECK(finding.steepest == 60);
    CHECK_FALSE(finding.diverged);
    // The value of the fitted line at a center of symmetry is that of the curve.
    CHECK(finding.smoothed[60] == doctest::Approx(1.25).epsilon(1e-12));
}

TEST_CASE("range test: the lowest point of a parabola is its vertex, and no later point counts") {
    const Curve curve = curve_of([](double x) { return 0.1 + (x + 2) * (x + 2) / 16; });
    const RateFinding finding = read_curve(curve.rates, curve.losses);
    CHECK(finding.lowest == 80);  // at 1e-2
    REQUIRE(finding.steepest);
    CHECK(*finding.steepest < 80);
    // The slope of a line fitted symmetrically to a parabola is that of the parabola: 2 (x + 2) /
    // 16, with x = -4 at the index 40.
    CHECK(finding.slopes[40] == doctest::Approx(-0.25).epsilon(1e-12));
}

TEST_CASE("range test: a line is kept as it is") {
    const Curve curve = curve_of([](double x) { return 1 - x / 6; });
    const RateFinding finding = read_curve(curve.rates, curve.losses);
    for (std::size_t i = 0; i < curve.losses.size(); ++i) {
        CHECK(finding.smoothed[i] == doctest::Approx(curve.losses[i]).epsilon(1e-12));
        CHECK(finding.slopes[i] == doctest::Approx(-1.0 / 6).epsilon(1e-12));
    }
}

TEST_CASE("range test: the curve ends where the loss is twice that of the first batches") {
    // 1 until 1e-1, the index 100, and 2.5 from there on.
    const Curve curve = curve_of([](double x) { return x < -1 ? 1 - (x + 6) / 10 : 2.5; });
    const RateFinding finding = read_curve(curve.rates, curve.losses);
    CHECK(finding.diverged == 100);
    CHECK(finding.smoothed.size() == 100);
}

TEST_CASE("range test: losses that only scatter have no suggestion") {
    const Curve curve = curve_of([](double x) { return std::lround(x * 20) % 2 == 0 ? 1 : 1.1; });
    const RateFinding finding = read_curve(curve.rates, curve.losses);
    CHECK(finding.smoothed.size() == 121);
    CHECK_FALSE(finding.steepest);
    CHECK_FALSE(finding.lowest);
}

TEST_CASE("range test: losses that are not finite from the start leave no curve") {
    const Curve curve = curve_of([](double) { return std::numeric_limits<double>::quiet_NaN(); });
    const RateFinding finding = read_curve(curve.rates, curve.losses);
    CHECK(finding.diverged == 0);
    CHECK(finding.smoothed.empty());
    CHECK_FALSE(finding.steepest);
}

TEST_CASE(
    "range test: the rate of the schedule is the first one at 0 and the last one at the end") {
    ptp::experiment::Experiment experiment;
    experiment.training.optimizer = ptp::optimizer::Sgd{.lr = 0.5};
    experiment.training.groups = {{"head", {}, ptp::optimizer::Sgd{.lr = 0.1}}};
    experiment.training.warm_up = {.episodes = 10};
    experiment.training.terminal_conditions.early_stop_validations = 3;
    make_range_test(experiment, {.from = 1e-6, .to = 0.1, .episodes = 51});
    REQUIRE(experiment.training.scheduler);
    const auto& rise = std::get<ptp::schedule::LambdaLr>(*experiment.training.scheduler);
    const double base = std::get<ptp::optimizer::Sgd>(experiment.training.optimizer).lr;
    CHECK(base == 1e-6);
    CHECK(rise.rate(base, {.episode = 0}) == doctest::Approx(1e-6).epsilon(1e-12));
    CHECK(rise.rate(base, {.episode = 10}) == doctest::Approx(1e-5).epsilon(1e-12));
    CHECK(rise.rate(base, {.episode = 50}) == doctest::Approx(0.1).epsilon(1e-12));
    // A fifth of the others' rate, as in the experiment.
    const auto& head = experiment.training.groups.front().options;
    CHECK(std::get<ptp::optimizer::Sgd>(head).lr == doctest::Approx(2e-7).epsilon(1e-12));
    CHECK_FALSE(experiment.training.warm_up);
    CHECK(experiment.training.terminal_conditions.episode_limit == 51);
    CHECK(experiment.training.terminal_conditions.early_stop_validations == 0);
}

}  // namespace range_test_test
