#include "engine/optimizer/learning_rate.hpp"

#include "base/error.hpp"
#include "support/golden.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace learning_rate_test {

using ptp::engine::LearningRate;
using ptp::test::golden;
using namespace ptp::schedule;

namespace {

LearningRate rate_of(const Any& schedule, std::uint64_t episodes_per_epoch = 4) {
    ptp::experiment::Training training;
    training.scheduler = schedule;
    return {training, episodes_per_epoch};
}

enum class Per { kEpoch, kEpisode };

void check(const std::string& name, const Any& schedule, double base, Per per) {
    CAPTURE(name);
    const std::vector<double> wanted = golden("learning_rates", name);
    const LearningRate rate = rate_of(schedule);
    for (std::uint64_t i = 0; i < wanted.size(); ++i) {
        CAPTURE(i);
        if (per == Per::kEpisode) {
            CHECK(rate.at(base, {i, i / 4, i % 4}) == doctest::Approx(wanted[i]).epsilon(1e-12));
            continue;
        }
        for (std::uint64_t batch = 0; batch < 4; ++batch) {
            CHECK(rate.at(base, {4 * i + batch, i, batch}) ==
                  doctest::Approx(wanted[i]).epsilon(1e-12));
        }
    }
}

void check_momentum(const std::string& name, const Any& cycle) {
    CAPTURE(name);
    const std::vector<double> wanted = golden("learning_rates", name);
    const LearningRate rate = rate_of(cycle);
    for (std::uint64_t i = 0; i < wanted.size(); ++i) {
        CAPTURE(i);
        CHECK(rate.momentum({i, i / 4, i % 4}).value() ==
              doctest::Approx(wanted[i]).epsilon(1e-12));
    }
}

// As in learning_rates.py.
CyclicLr cyclic(const std::string& mode) {
    CyclicLr cycle{.max_lr = 0.5, .mode = mode};
    if (mode == "triangular") {
        cycle.step_size_up = 3;
        cycle.step_size_down = 5;
    } else if (mode == "triangular2") {
        cycle.step_size_up = 4;
    } else {
        cycle.step_size_up = 5;
        cycle.step_size_down = 2;
        cycle.gamma = 0.9;
    }
    cycle.cycled_momentum.base = 0.6;
    cycle.cycled_momentum.max = 0.85;
    return cycle;
}

}  // namespace

TEST_CASE("learning rate: schedules agree with PyTorch") {
    check("StepLR", StepLr{.step_size = 3, .gamma = 0.1}, 0.5, Per::kEpoch);
    check("MultiStepLR", MultiStepLr{.milestones = {2, 5, 6}, .gamma = 0.3}, 0.5, Per::kEpoch);
    check("ExponentialLR", ExponentialLr{.gamma = 0.9}, 0.5, Per::kEpoch);
    check("CosineAnnealingLR", CosineAnnealingLr{.half_period = 4, .eta_min = 0.01}, 0.5,
          Per::kEpoch);
    check("cosine", CosineAnnealingWarmRestarts{.first_period = 3, .eta_min = 0.01}, 0.5,
          Per::kEpisode);
    check("cosine_longer", CosineAnnealingWarmRestarts{.first_period = 2, .period_factor = 2}, 0.5,
          Per::kEpisode);
    OneCycleLr cycle{.total_episodes = {21}};
    check("one_cycle", cycle, 0.1, Per::kEpisode);
    cycle.three_phase = true;
    cycle.pct_start = 0.4;
    check("one_cycle_three", cycle, 0.1, Per::kEpisode);
    cycle.three_phase = false;
    cycle.pct_start = 0.25;
    cycle.anneal_strategy = "linear";
    cycle.div_factor = 10;
    cycle.final_div_factor = 100;
    check("one_cycle_linear", cycle, 0.1, Per::kEpisode);
    check("PolynomialLR", PolynomialLr{.total_episodes = {10}, .power = 0.9}, 0.5, Per::kEpisode);
    check("PolynomialLR_linear", PolynomialLr{.total_episodes = {5}}, 0.5, Per::kEpisode);
    for (const char* mode : {"triangular", "triangular2", "exp_range"}) {
        check(std::string("CyclicLR_") + mode, cyclic(mode), 0.1, Per::kEpisode);
    }
    check("LambdaLR_power", LambdaLr{.lr_lambda = "0.95 ** epoch"}, 0.5, Per::kEpoch);
    check("LambdaLR_functions",
          LambdaLr{.lr_lambda = "min(1, (epoch + 1) / 3) * (1 + cos(pi * epoch / 10)) / 2 + 1e-3 * "
                                "max(0, epoch - 4, 2 - epoch) + sqrt(epoch) * exp(-epoch) * -2 ** "
                                "-3 + 0.5"},
          0.5, Per::kEpoch);
}

TEST_CASE("learning rate: a cycle moves the momentum against the rate, as PyTorch does") {
    OneCycleLr cycle{.total_episodes = {21}};
    check_momentum("momentum", cycle);
    cycle.three_phase = true;
    cycle.pct_start = 0.4;
    check_momentum("momentum_three", cycle);
    cycle.three_phase = false;
    cycle.pct_start = 0.25;
    cycle.anneal_strategy = "linear";
    cycle.cycled_momentum.base = 0.5;
    cycle.cycled_momentum.max = 0.75;
    check_momentum("momentum_linear", cycle);
    cycle.cycled_momentum.is_on = false;
    CHECK_FALSE(rate_of(cycle).momentum({}));
    for (const char* mode : {"triangular", "triangular2", "exp_range"}) {
        check_momentum(std::string("momentum_CyclicLR_") + mode, cyclic(mode));
    }
    CHECK_FALSE(rate_of(ExponentialLr{.gamma = 0.9}).momentum({}));
}

TEST_CASE("learning rate: a plateau reduces it as in PyTorch, and is restored in between") {
    const double losses[] = {1.0, 0.9, 0.9, 0.91, 0.95, 0.8999, 0.5, 0.5, 0.5, 0.5,
                             0.6, 0.7, 0.8, 0.49, 0.5,  0.5,    0.5, 0.5, 0.5, 0.5};
    for (const std::string mode : {"rel", "abs"}) {
        const ReduceLrOnPlateau plateau{.factor = 0.5,
                                        .patience = 2,
                                        .threshold = 0.01,
                                        .threshold_mode = mode,
                                        .cooldown = mode == "abs" ? 2 : 0,
                                        .min_lr = 0.1};
        const std::vector<double> wanted = golden("learning_rates", "plateau_" + mode);
        LearningRate whole = rate_of(plateau);
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            CAPTURE(mode);
            CAPTURE(i);
            CHECK(whole.at(0.5, {}) == doctest::Approx(wanted[i]).epsilon(1e-12));
            LearningRate again = rate_of(plateau);
            again.restore(whole.save());
            whole = again;
            whole.validated(losses[i]);
        }
    }
}

TEST_CASE("learning rate: a plateau of a statistic whose larger values are better is PyTorch's") {
    const double losses[] = {1.0, 0.9, 0.9, 0.91, 0.95, 0.8999, 0.5, 0.5, 0.5, 0.5,
                             0.6, 0.7, 0.8, 0.49, 0.5,  0.5,    0.5, 0.5, 0.5, 0.5};
    for (const std::string mode : {"rel", "abs"}) {
        LearningRate rate = rate_of(ReduceLrOnPlateau{.factor = 0.5,
                                                      .patience = 1,
                                                      .threshold = 0.1,
                                                      .threshold_mode = mode,
                                                      .min_lr = 0.01});
        const std::vector<double> wanted = golden("learning_rates", "plateau_max_" + mode);
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            CAPTURE(mode);
            CAPTURE(i);
            CHECK(rate.at(0.5, {}) == doctest::Approx(wanted[i]).epsilon(1e-12));
            rate.validated(-(1 - losses[i]), true);
        }
    }
}

TEST_CASE("learning rate: reductions by validations belong to their type of schedule") {
    const ReduceLrOnPlateau plateau{.factor = 0.5, .patience = 0};
    ptp::experiment::Training with_plateau;
    with_plateau.scheduler = plateau;
    ptp::experiment::Training with_steps;
    with_steps.scheduler = StepLr{.step_size = 100};
    LearningRate rate(with_plateau, 4);
    rate.validated(1);
    rate.validated(1);
    CHECK(rate.at(1, {}) == 0.5);
    // The same type with other values keeps it, and another type begins anew.
    with_plateau.scheduler = ReduceLrOnPlateau{.factor = 0.25};
    rate.follow(with_plateau);
    CHECK(rate.at(1, {}) == 0.25);
    const ptp::engine::SavedState saved = rate.save();
    rate.follow(with_steps);
    CHECK(rate.at(1, {}) == 1);
    // A run that changed its schedule is restored with the first and then follows the last.
    LearningRate resumed(with_steps, 4);
    resumed.restore(saved);
    resumed.follow(with_plateau);
    CHECK(resumed.at(1, {}) == 0.25);
    resumed.forget_validations();
    CHECK(resumed.at(1, {}) == 1);
}

TEST_CASE("learning rate: the record of earlier versions does not name its schedule") {
    ptp::engine::SavedState saved;
    saved.record = ptp::Value::table({{"lowered", 0.5},
                                      {"best_loss", 2.0},
                                      {"bad_validations", 1},
                                      {"cooldown_left", 0},
                                      {"reductions", 2}});
    LearningRate plateau = rate_of(ReduceLrOnPlateau{.factor = 0.5});
    plateau.restore(saved);
    CHECK(plateau.at(1, {}) == 0.125);
    LearningRate other = rate_of(ExponentialLr{.gamma = 0.5});
    other.restore(saved);
    CHECK(other.at(1, {4, 1, 0}) == 0.25);
    saved.record.erase("reductions");
    CHECK_THROWS_AS(plateau.restore(saved), ptp::RunError);
}

TEST_CASE("learning rate: a plateau never raises a rate that is below the least") {
    LearningRate rate = rate_of(ReduceLrOnPlateau{.patience = 0, .min_lr = 0.1});
    rate.validated(1);
    rate.validated(1);
    CHECK(rate.at(0.01, {}) == 0.01);
    CHECK(rate.at(0.5, {}) == 0.1);
}

TEST_CASE("learning rate: a warm-up grows linearly, and multiplies a schedule") {
    ptp::experiment::Training training;
    training.warm_up = {.episodes = 5, .start_factor = 0.2};
    const LearningRate alone(training, 4);
    training.scheduler = ExponentialLr{.gamma = 0.5};
    const LearningRate both(training, 4);
    const std::vector<double> wanted = golden("learning_rates", "LinearLR");
    for (std::uint64_t i = 0; i < wanted.size(); ++i) {
        CAPTURE(i);
        CHECK(alone.at(0.5, {i, 0, i}) == doctest::Approx(wanted[i]).epsilon(1e-12));
        // The second epoch begins with episode 4: half of the rate.
        const double decay = i < 4 ? 1 : 0.5;
        CHECK(both.at(0.5, {i, i / 4, i % 4}) == doctest::Approx(decay * wanted[i]).epsilon(1e-12));
    }
}

TEST_CASE("learning rate: what begins later counts from there, and is restored so") {
    ptp::experiment::Training training;
    training.terminal_conditions.epoch_limit = 10;
    // In the middle of the third epoch of 4 episodes.
    const auto begun = [&](const Any& schedule) {
        training.scheduler = schedule;
        LearningRate rate(training, 4);
        rate.begin_schedule({10, 2, 2});
        LearningRate restored(training, 4);
        restored.restore(rate.save());
        return restored;
    };
    const LearningRate steps = begun(StepLr{.step_size = 1, .gamma = 0.5});
    CHECK(steps.at(1, {10, 2, 2}) == 1);
    CHECK(steps.at(1, {11, 2, 3}) == 1);
    CHECK(steps.at(1, {12, 3, 0}) == 0.5);
    CHECK(steps.at(1, {16, 4, 0}) == 0.25);
    // Half a cosine in 2 epochs of 4: (1 + cos(pi / 2)) / 2 after 4 episodes, and again after 8.
    const LearningRate cosine = begun(CosineAnnealingWarmRestarts{.first_period = 2});
    CHECK(cosine.at(1, {10, 2, 2}) == 1);
    CHECK(cosine.at(1, {14, 3, 2}) == doctest::Approx(0.5));
    CHECK(cosine.at(1, {18, 4, 2}) == 1);
    // Half of the epochs that are left, 7.5 of 10: (1 + cos(pi * 3 / 7.5)) / 2 in the third one.
    const LearningRate whole = begun(CosineAnnealingLr());
    CHECK(whole.at(1, {10, 2, 2}) == 1);
    CHECK(whole.at(1, {23, 5, 3}) == doctest::Approx(0.6545084971874737));
    // Of 40 episodes 30 are left.
    const LearningRate line = begun(PolynomialLr());
    CHECK(line.at(1, {10, 2, 2}) == 1);
    CHECK(line.at(1, {25, 6, 1}) == doctest::Approx(0.5));
    CHECK(line.at(1, {40, 10, 0}) == 0);
    CHECK(begun(LambdaLr{.lr_lambda = "episode + 100 * epoch"}).at(1, {13, 3, 1}) == 103);
    // Before the first episode after a resume.
    CHECK(steps.at(1, {}) == 1);
}

TEST_CASE("learning rate: a warm-up that begins later counts from there, its schedule does not") {
    ptp::experiment::Training training;
    training.warm_up = {.episodes = 4, .start_factor = 0.2};
    training.scheduler = StepLr{.step_size = 1, .gamma = 0.5};
    LearningRate rate(training, 4);
    rate.begin_warm_up({8, 2, 0});
    LearningRate restored(training, 4);
    restored.restore(rate.save());
    CHECK(restored.at(1, {8, 2, 0}) == doctest::Approx(0.25 * 0.2));
    CHECK(restored.at(1, {10, 2, 2}) == doctest::Approx(0.25 * 0.6));
    CHECK(restored.at(1, {12, 3, 0}) == doctest::Approx(0.125));
    // A rollback may lead to before it.
    restored.restore(LearningRate(training, 4).save());
    CHECK(restored.at(1, {8, 2, 0}) == doctest::Approx(0.25));
}

TEST_CASE("learning rate: one cycle lasts as long as the limits of the training allow") {
    const auto last_rise = [](std::int64_t epochs, std::int64_t episodes) {
        ptp::experiment::Training training;
        training.scheduler = OneCycleLr();
        training.terminal_conditions.epoch_limit = epochs;
        training.terminal_conditions.episode_limit = episodes;
        const LearningRate rate(training, 10);
        std::uint64_t i = 0;
        while (rate.at(1, {i + 1, 0, 0}) > rate.at(1, {i, 0, 0})) {
            ++i;
        }
        return i;
    };
    CHECK(last_rise(10, -1) == 29);  // 0.3 * 100 - 1
    CHECK(last_rise(10, 50) == 14);
    CHECK(last_rise(1, 50) == 2);
    CHECK(last_rise(-1, 50) == 14);
}

TEST_CASE("learning rate: one cycle ends where it ends, however short it is") {
    for (const std::int64_t total : {1, 2, 3, 4}) {
        const LearningRate rate = rate_of(OneCycleLr{.total_episodes = {total}});
        CAPTURE(total);
        for (std::uint64_t i = 0; i < 6; ++i) {
            const double now = rate.at(1, {i, 0, 0});
            CHECK(now >= 1.0 / 25 / 1e4 * (1 - 1e-9));
            CHECK(now <= 1.0);
        }
        CHECK(rate.at(1, {100, 0, 0}) == doctest::Approx(1.0 / 25 / 1e4));
    }
}

TEST_CASE("learning rate: without anything asked for it is constant, until it is lowered") {
    LearningRate rate(ptp::experiment::Training(), 4);
    CHECK(rate.is_constant());
    CHECK(rate.at(0.3, {7, 1, 3}) == 0.3);
    rate.lower(0.5);
    rate.lower(0.5);
    CHECK_FALSE(rate.is_constant());
    CHECK(rate.at(0.3, {7, 1, 3}) == 0.075);
    LearningRate other(ptp::experiment::Training(), 4);
    other.restore(rate.save());
    CHECK(other.lowered() == 0.25);
}

}  // namespace learning_rate_test
