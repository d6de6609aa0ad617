#include "engine/train/stop.hpp"

#include <doctest/doctest.h>

#include <cmath>

namespace stop_test {

using ptp::engine::Status;
using ptp::engine::StopRules;
using ptp::experiment::TerminalConditions;

namespace {

ptp::experiment::TerminalConditions conditions() {
    return {.loss_stop_threshold = 0.1,
            .early_stop_validations = 2,
            .epoch_limit = 5,
            .episode_limit = 100,
            .wall_time = {60}};
}

}  // namespace

TEST_CASE("stop: a strictly lower loss is the best") {
    StopRules rules(conditions());
    CHECK(rules.validated(3));
    CHECK_FALSE(rules.validated(3));
    CHECK(rules.validated(2));
    CHECK(rules.best() == 2);
}

TEST_CASE("stop: a judged value decides what is best, and the loss what is far off") {
    TerminalConditions judged = conditions();
    judged.loss_stop_threshold.reset();
    StopRules rules(judged);
    rules.trained(1);
    CHECK(rules.validated(3, -0.5));
    CHECK_FALSE(rules.validated(2, -0.5));
    CHECK(rules.judgement() == Status::kRunning);
    CHECK(rules.validated(4, -0.75));
    CHECK(rules.best() == -0.75);
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    CHECK_FALSE(rules.validated(1, kNan));
    CHECK_FALSE(rules.validated(kNan, -0.9));
    CHECK(rules.is_far_off());
    CHECK(rules.judgement() == Status::kEarlyStopping);
    StopRules restored(judged);
    restored.restore(rules.save());
    CHECK_FALSE(restored.validated(1, -0.75));
    CHECK(restored.validated(1, -0.76));
}

TEST_CASE("stop: a loss below the threshold comes before all else") {
    StopRules rules(conditions());
    rules.validated(0.1);
    CHECK(rules.judgement() == Status::kRunning);
    rules.validated(0.09);
    CHECK(rules.judgement() == Status::kConverged);
}

TEST_CASE("stop: patience counts validations in a row without a gain") {
    StopRules rules(conditions());
    rules.validated(1);
    rules.validated(2);
    CHECK(rules.judgement() == Status::kRunning);
    rules.validated(0.5);
    rules.validated(2);
    CHECK(rules.judgement() == Status::kRunning);
    rules.validated(2);
    CHECK(rules.judgement() == Status::kEarlyStopping);

    ptp::experiment::TerminalConditions patient = conditions();
    patient.early_stop_validations = 0;
    StopRules never(patient);
    for (int i = 0; i < 50; ++i) {
        never.validated(1);
    }
    CHECK(never.judgement() == Status::kRunning);
}

TEST_CASE("stop: limits of epochs, episodes and time") {
    const StopRules rules(conditions());
    CHECK_FALSE(rules.is_epoch_limit(4));
    CHECK(rules.is_epoch_limit(5));
    CHECK(rules.limit(99, 59.9) == Status::kRunning);
    CHECK(rules.limit(100, 60) == Status::kEpisodeLimit);
    CHECK(rules.limit(99, 60) == Status::kTimeLimit);

    ptp::experiment::TerminalConditions endless = conditions();
    endless.epoch_limit = -1;
    endless.episode_limit = -1;
    endless.wall_time = {};
    CHECK_FALSE(StopRules(endless).is_epoch_limit(1000000));
    CHECK(StopRules(endless).limit(1000000, 1e9) == Status::kRunning);
}

TEST_CASE("stop: restored rules judge like the saved ones") {
    StopRules rules(conditions());
    rules.validated(1);
    rules.validated(2);
    StopRules restored(conditions());
    restored.restore(rules.save());
    CHECK(restored.best() == 1);
    CHECK_FALSE(restored.validated(1));
    CHECK(restored.judgement() == Status::kEarlyStopping);
}

TEST_CASE("stop: a threshold is met only from above") {
    StopRules rules(TerminalConditions{.loss_stop_threshold = 0.1, .wall_time = {}});
    rules.trained(0.05);
    rules.validated(0.04);
    CHECK(rules.judgement() == Status::kRunning);
    CHECK(rules.unmet_threshold() ==
          "loss_stop_threshold = 0.1 does not end the training: it is met from above, and no loss "
          "was ever above it; give a lower one");
    rules.validated(0.2);
    CHECK(rules.unmet_threshold().empty());
    rules.validated(0.04);
    CHECK(rules.judgement() == Status::kConverged);

    StopRules fast(TerminalConditions{.loss_stop_threshold = 0.1, .wall_time = {}});
    fast.trained(2.3);
    fast.trained(0.05);
    fast.validated(0.04);
    CHECK(fast.judgement() == Status::kConverged);
}

TEST_CASE("stop: a negative loss meets only a negative threshold") {
    StopRules rules(TerminalConditions{.loss_stop_threshold = 1e-5, .wall_time = {}});
    rules.trained(3);
    rules.validated(-12360.5);
    CHECK(rules.judgement() == Status::kRunning);
    CHECK(rules.unmet_threshold() ==
          "loss_stop_threshold = 1e-05 does not end the training: it is for losses that cannot be "
          "negative, and this one is -12360.5; give a negative one, which is met from above");
    StopRules asked(TerminalConditions{.loss_stop_threshold = -2, .wall_time = {}});
    asked.trained(3);
    asked.validated(-1);
    CHECK(asked.judgement() == Status::kRunning);
    asked.validated(-2.5);
    CHECK(asked.judgement() == Status::kConverged);
}

TEST_CASE("stop: a training has diverged when its loss is far off three times in a row") {
    StopRules rules(
        TerminalConditions{.early_stop_validations = 0, .wall_time = {}, .divergence_factor = 10});
    rules.trained(2.5);
    rules.trained(20);  // not what it began with
    rules.validated(25);
    CHECK_FALSE(rules.is_far_off());
    rules.validated(25.5);
    rules.validated(26);
    CHECK(rules.is_far_off());
    CHECK(rules.judgement() == Status::kRunning);
    rules.validated(2);
    CHECK_FALSE(rules.is_far_off());
    rules.validated(1e15);
    rules.validated(INFINITY);
    rules.validated(1e15);
    CHECK(rules.judgement() == Status::kDiverged);
    CHECK(rules.divergence_text() ==
          "the training has diverged: its loss is 1e+15, and began with 2.5; above 25 it counts as "
          "diverged (training.terminal_conditions.divergence_factor); a lower learning rate may "
          "help");
    rules.validated(NAN);
    CHECK(rules.divergence_text() ==
          "the training has diverged: its loss is nan; a lower learning rate may help");
}

TEST_CASE("stop: a training whose own loss is far off has not converged, and ends as diverged") {
    StopRules rules(TerminalConditions{.loss_stop_threshold = 0.1, .wall_time = {}});
    rules.trained(2.5);
    rules.trained(1e20);
    rules.trained(0);
    rules.validated(0);
    CHECK(rules.judgement() == Status::kRunning);
    CHECK(rules.unmet_threshold() ==
          "loss_stop_threshold = 0.1 does not end the training: the loss that judges is 0, but "
          "that of the training up to it is 3.33333e+19, and began with 2.5; a lower learning rate "
          "may help");
    CHECK(rules.if_not_far_off(Status::kEpochLimit) == Status::kDiverged);
    CHECK(rules.divergence_text() ==
          "the training has diverged: its loss up to the last validation is 3.33333e+19, and began "
          "with 2.5; above 2500 it counts as diverged "
          "(training.terminal_conditions.divergence_factor); a lower learning rate may help");

    rules.trained(1e20);
    StopRules restored(TerminalConditions{.loss_stop_threshold = 0.1, .wall_time = {}});
    restored.restore(rules.save());
    CHECK(restored.is_far_off());
    restored.validated(0);
    CHECK(restored.judgement() == Status::kRunning);
    restored.trained(0.5);
    restored.validated(0.05);
    CHECK(restored.judgement() == Status::kConverged);
}

TEST_CASE("stop: a larger factor lets a training continue that had diverged by a smaller one") {
    TerminalConditions conditions{
        .early_stop_validations = 0, .wall_time = {}, .divergence_factor = 10};
    StopRules rules(conditions);
    rules.trained(2);
    for (int i = 0; i < 3; ++i) {
        rules.validated(30);
    }
    CHECK(rules.judgement() == Status::kDiverged);
    conditions.epoch_limit = 99;
    rules.change(conditions);
    CHECK(rules.judgement() == Status::kDiverged);
    conditions.divergence_factor = 20;
    rules.change(conditions);
    CHECK(rules.judgement() == Status::kRunning);
    CHECK_FALSE(rules.is_far_off());
}

TEST_CASE("stop: a loss that counts as diverged is never the best one") {
    StopRules rules(TerminalConditions{.wall_time = {}, .divergence_factor = 10});
    rules.trained(2);
    CHECK_FALSE(rules.validated(21));
    CHECK_FALSE(rules.validated(NAN));
    CHECK_FALSE(rules.validated(-INFINITY));
    CHECK(rules.validated(19));
    CHECK_FALSE(rules.validated(19));
}

TEST_CASE("stop: a loss that began near 0 has room, and a factor of 0 lets any number pass") {
    StopRules small(TerminalConditions{.wall_time = {}, .divergence_factor = 10});
    small.trained(1e-9);
    small.validated(9.9);
    CHECK_FALSE(small.is_far_off());
    small.validated(10.1);
    CHECK(small.is_far_off());

    StopRules any(TerminalConditions{.wall_time = {}, .divergence_factor = 0});
    any.trained(1);
    any.validated(1e300);
    CHECK_FALSE(any.is_far_off());
    any.validated(NAN);
    CHECK(any.is_far_off());
}

TEST_CASE("stop: what a training began with, and how often it was far off, is restored") {
    StopRules rules(
        TerminalConditions{.early_stop_validations = 0, .wall_time = {}, .divergence_factor = 10});
    rules.trained(2);
    rules.validated(21);
    rules.validated(22);
    StopRules restored(
        TerminalConditions{.early_stop_validations = 0, .wall_time = {}, .divergence_factor = 10});
    restored.restore(rules.save());
    restored.trained(1e6);  // of an episode that is not the first
    restored.validated(23);
    CHECK(restored.judgement() == Status::kDiverged);
}

TEST_CASE("stop: a checkpoint without what a training began with takes the next loss for it") {
    ptp::engine::SavedState old;
    old.record = ptp::Value::table(
        {{"best_loss", 0.5}, {"last_loss", 0.7}, {"validations_without_gain", 1}});
    StopRules rules(TerminalConditions{.loss_stop_threshold = 0.6, .wall_time = {}});
    rules.restore(old);
    rules.trained(0.4);
    rules.validated(0.55);  // from 0.7
    CHECK(rules.judgement() == Status::kConverged);
}

TEST_CASE("stop: a loss that is the same at the end as at the beginning is reported") {
    const auto problem_after = [](std::initializer_list<double> losses, int episodes) {
        ptp::engine::LossProgress progress;
        for (const double loss : losses) {
            for (int i = 0; i < episodes; ++i) {
                progress.trained(loss);
            }
            progress.finished_epoch();
        }
        return progress.problem();
    };
    CHECK(problem_after({58300, 58200, 58100}, 20) ==
          "hardly anything is learned: the training loss was 5.83e+04 in the first epoch, and is "
          "5.81e+04 in the last one of 3\n    fix: take another learning rate, which `ptprun "
          "find-lr EXPERIMENT` finds; standardize inputs and numbers to be predicted that are far "
          "from 0; and look whether the targets can follow from the inputs: `ptprun EXPERIMENT "
          "--overfit 1` learns a single batch");
    CHECK(problem_after({1, 1.5, 2}, 20).starts_with("hardly anything is learned"));
    CHECK(problem_after({100, 99, 97}, 20).empty());
    CHECK(problem_after({-1, -1.01, -1.1}, 20).empty());
    CHECK(problem_after({100, 100, 100}, 10).empty());  // 30 episodes
    CHECK(problem_after({100, 100}, 50).empty());
    CHECK(problem_after({100, 100, std::nan("")}, 20).empty());
}

}  // namespace stop_test
