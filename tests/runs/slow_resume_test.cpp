// As resume_test.cpp, for longer: `./dev test --label slow`.

#include "runs/interrupted.hpp"

#include <doctest/doctest.h>

namespace slow_resume_test {

using ptp::test::ExperimentFolder;

TEST_CASE("resume: 50 kills at random moments change no bit of the results") {
    const ExperimentFolder folder(ptp::test::stateful(200));
    ptp::test::check_kills(folder, 50);
}

}  // namespace slow_resume_test
