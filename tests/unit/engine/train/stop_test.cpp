#include "engine/train/stop.hpp"

#include <doctest/doctest.h>

using ptp::engine::Status;
using ptp::engine::StopRules;

namespace {

ptp::config::TerminalConditions conditions() {
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
    CHECK(rules.best_loss() == 2);
}

TEST_CASE("stop: a loss below the threshold comes before all else") {
    StopRules rules(conditions());
    rules.validated(0.1);
    CHECK(rules.judgement() == Status::kNotConverged);
    rules.validated(0.09);
    CHECK(rules.judgement() == Status::kConverged);
}

TEST_CASE("stop: patience counts validations in a row without a gain") {
    StopRules rules(conditions());
    rules.validated(1);
    rules.validated(2);
    CHECK(rules.judgement() == Status::kNotConverged);
    rules.validated(0.5);
    rules.validated(2);
    CHECK(rules.judgement() == Status::kNotConverged);
    rules.validated(2);
    CHECK(rules.judgement() == Status::kEarlyStopping);

    ptp::config::TerminalConditions patient = conditions();
    patient.early_stop_validations = 0;
    StopRules never(patient);
    for (int i = 0; i < 50; ++i) {
        never.validated(1);
    }
    CHECK(never.judgement() == Status::kNotConverged);
}

TEST_CASE("stop: limits of epochs, episodes and time") {
    const StopRules rules(conditions());
    CHECK_FALSE(rules.is_epoch_limit(4));
    CHECK(rules.is_epoch_limit(5));
    CHECK(rules.limit(99, 59.9) == Status::kNotConverged);
    CHECK(rules.limit(100, 60) == Status::kEpisodeLimit);
    CHECK(rules.limit(99, 60) == Status::kTimeLimit);

    ptp::config::TerminalConditions endless = conditions();
    endless.epoch_limit = -1;
    endless.episode_limit = -1;
    endless.wall_time = {};
    CHECK_FALSE(StopRules(endless).is_epoch_limit(1000000));
    CHECK(StopRules(endless).limit(1000000, 1e9) == Status::kNotConverged);
}

TEST_CASE("stop: restored rules judge like the saved ones") {
    StopRules rules(conditions());
    rules.validated(1);
    rules.validated(2);
    StopRules restored(conditions());
    restored.restore(rules.save());
    CHECK(restored.best_loss() == 1);
    CHECK_FALSE(restored.validated(1));
    CHECK(restored.judgement() == Status::kEarlyStopping);
}
