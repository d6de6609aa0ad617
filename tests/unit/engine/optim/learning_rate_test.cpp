#include "engine/optim/learning_rate.hpp"

#include "support/golden.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using ptp::engine::LearningRate;
using ptp::experiment::Scheduler;
using ptp::test::golden;

namespace {

LearningRate rate_of(const Scheduler& scheduler, std::uint64_t episodes_per_epoch = 4) {
    ptp::experiment::Training training;
    training.scheduler = scheduler;
    return {training, episodes_per_epoch};
}

enum class Per { kEpoch, kEpisode };

void check(const std::string& name, const Scheduler& scheduler, double base, Per per) {
    CAPTURE(name);
    const std::vector<double> wanted = golden("learning_rates", name);
    const LearningRate rate = rate_of(scheduler);
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

}  // namespace

TEST_CASE("learning rate: schedules agree with PyTorch") {
    check("StepLR", {.type = "StepLR", .gamma = 0.1, .step_size = 3}, 0.5, Per::kEpoch);
    check("MultiStepLR", {.type = "MultiStepLR", .gamma = 0.3, .milestones = {2, 5, 6}}, 0.5,
          Per::kEpoch);
    check("ExponentialLR", {.type = "ExponentialLR", .gamma = 0.9}, 0.5, Per::kEpoch);
    Scheduler cosine;
    cosine.type = "CosineAnnealingWarmRestarts";
    cosine.first_period = 3;
    cosine.eta_min = 0.01;
    check("cosine", cosine, 0.5, Per::kEpisode);
    cosine.first_period = 2;
    cosine.period_factor = 2;
    cosine.eta_min = 0;
    check("cosine_longer", cosine, 0.5, Per::kEpisode);
    Scheduler cycle;
    cycle.type = "OneCycleLR";
    cycle.total_episodes = 21;
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
}

TEST_CASE("learning rate: one cycle moves the momentum against the rate, as PyTorch does") {
    const auto check_momentum = [](const std::string& name, const Scheduler& cycle) {
        CAPTURE(name);
        const std::vector<double> wanted = golden("learning_rates", name);
        const LearningRate rate = rate_of(cycle);
        for (std::uint64_t i = 0; i < wanted.size(); ++i) {
            CAPTURE(i);
            CHECK(rate.momentum({i, i / 4, i % 4}).value() ==
                  doctest::Approx(wanted[i]).epsilon(1e-12));
        }
    };
    Scheduler cycle;
    cycle.type = "OneCycleLR";
    cycle.total_episodes = 21;
    check_momentum("momentum", cycle);
    cycle.three_phase = true;
    cycle.pct_start = 0.4;
    check_momentum("momentum_three", cycle);
    cycle.three_phase = false;
    cycle.pct_start = 0.25;
    cycle.anneal_strategy = "linear";
    cycle.base_momentum = 0.5;
    cycle.max_momentum = 0.75;
    check_momentum("momentum_linear", cycle);
    cycle.cycle_momentum = false;
    CHECK_FALSE(rate_of(cycle).momentum({}));
    CHECK_FALSE(rate_of({.type = "ExponentialLR", .gamma = 0.9}).momentum({}));
}

TEST_CASE("learning rate: a plateau reduces it as in PyTorch, and is restored in between") {
    const double losses[] = {1.0, 0.9, 0.9, 0.91, 0.95, 0.8999, 0.5, 0.5, 0.5, 0.5,
                             0.6, 0.7, 0.8, 0.49, 0.5,  0.5,    0.5, 0.5, 0.5, 0.5};
    for (const char* mode : {"rel", "abs"}) {
        Scheduler plateau;
        plateau.type = "ReduceLROnPlateau";
        plateau.factor = 0.5;
        plateau.patience = 2;
        plateau.threshold = 0.01;
        plateau.threshold_mode = mode;
        plateau.cooldown = std::string(mode) == "abs" ? 2 : 0;
        plateau.min_lr = 0.1;
        const std::vector<double> wanted = golden("learning_rates", std::string("plateau_") + mode);
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

TEST_CASE("learning rate: a plateau never raises a rate that is below the least") {
    Scheduler plateau;
    plateau.type = "ReduceLROnPlateau";
    plateau.patience = 0;
    plateau.min_lr = 0.1;
    LearningRate rate = rate_of(plateau);
    rate.validated(1);
    rate.validated(1);
    CHECK(rate.at(0.01, {}) == 0.01);
    CHECK(rate.at(0.5, {}) == 0.1);
}

TEST_CASE("learning rate: a warm-up grows linearly, and multiplies a schedule") {
    ptp::experiment::Training training;
    training.warm_up = {.episodes = 5, .start_factor = 0.2};
    const LearningRate alone(training, 4);
    training.scheduler = Scheduler();
    training.scheduler->type = "ExponentialLR";
    training.scheduler->gamma = 0.5;
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

TEST_CASE("learning rate: one cycle lasts as long as the limits of the training allow") {
    const auto last_rise = [](std::int64_t epochs, std::int64_t episodes) {
        ptp::experiment::Training training;
        training.scheduler = Scheduler();
        training.scheduler->type = "OneCycleLR";
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
        Scheduler cycle;
        cycle.type = "OneCycleLR";
        cycle.total_episodes = total;
        const LearningRate rate = rate_of(cycle);
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
