// As resume_test.cpp, for longer: `./dev test --label slow`.

#include "runs/interrupted.hpp"

#include <doctest/doctest.h>

using ptp::test::ExperimentFolder;

TEST_CASE("resume: 50 kills at random moments change no bit of the results") {
    const ExperimentFolder folder;
    folder.write({.training = ptp::test::stateful_training(1000)});
    REQUIRE(folder.run("undisturbed", ptp::test::often()).status == 0);
    CHECK(ptp::test::train_with_kills(folder, "killed", 50, 2000) == 50);
    ptp::test::check_same_results(folder, "undisturbed", "killed");
}
