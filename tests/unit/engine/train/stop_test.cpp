#include "engine/train/stop.hpp"

#include <doctest/doctest.h>

using ptp::engine::Status;
using ptp::engine::StopRules;

namespace {

ptp::config::TerminalConditions conditions() {
    return {.loss_stop_threshold = 0.1,
            .early_stop_validations = 2,
            .epoch_limit = 5,
            .episode_limit = 100};
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
    CHECK(rules.after_epoch(1) == Status::kNotConverged);
    rules.validated(0.09);
    CHECK(rules.after_epoch(5) == Status::kConverged);
}

TEST_CASE("stop: patience counts validations in a row without a gain") {
    StopRules rules(conditions());
    rules.validated(1);
    rules.validated(2);
    CHECK(rules.after_epoch(2) == Status::kNotConverged);
    rules.validated(0.5);
    rules.validated(2);
    CHECK(rules.after_epoch(4) == Status::kNotConverged);
    rules.validated(2);
    CHECK(rules.after_epoch(5) == Status::kEarlyStopping);

    ptp::config::TerminalConditions patient = conditions();
    patient.early_stop_validations = 0;
    StopRules never(patient);
    for (int i = 0; i < 50; ++i) {
        never.validated(1);
    }
    CHECK(never.after_epoch(4) == Status::kNotConverged);
}

TEST_CASE("stop: limits of epochs and episodes") {
    StopRules rules(conditions());
    rules.validated(1);
    CHECK(rules.after_epoch(4) == Status::kNotConverged);
    CHECK(rules.after_epoch(5) == Status::kEpochLimit);
    CHECK_FALSE(rules.is_episode_limit(99));
    CHECK(rules.is_episode_limit(100));
    ptp::config::TerminalConditions endless = conditions();
    endless.episode_limit = -1;
    CHECK_FALSE(StopRules(endless).is_episode_limit(1000000));
}
