#include "engine/swap/swap_error.hpp"

#include "base/error.hpp"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>

namespace swap_error_test {

using ptp::kPluginError;
using ptp::kTrainingError;
using ptp::RefusedFor;
using namespace ptp::engine;

TEST_CASE("swap error: it says its phase and its reason") {
    const SwapError error(SwapPhase::kMigrate, {"'net' (Net): no"});
    CHECK(error.phase() == SwapPhase::kMigrate);
    CHECK(error.what() == std::string("(migrate): 'net' (Net): no"));
    CHECK(error.cause().reason == "'net' (Net): no");
}

TEST_CASE("swap error: what to do is the last line for a person, and known apart from the reason") {
    const auto fails = [] {
        throw ptp::WithFix<ptp::RunError>(kPluginError, {"has lost count", "let it count"});
    };
    try {
        in_phase(SwapPhase::kRehearse, fails);
        FAIL("nothing was thrown");
    } catch (const SwapError& error) {
        CHECK(error.what() == std::string("(rehearse): has lost count\n    fix: let it count"));
        CHECK(error.cause() == ptp::Explanation{"has lost count", "let it count"});
        CHECK(ptp::engine::refusal_of({"/x/a.so"}, error) ==
              ptp::Explanation{"/x/a.so: cannot be swapped in (rehearse): has lost count",
                               "let it count"});
    }
}

TEST_CASE("swap error: for a person it begins with all files") {
    const SwapError error(SwapPhase::kInspect, {"no"});
    CHECK(ptp::engine::refusal_of({"/x/a.so"}, error).text() ==
          "/x/a.so: cannot be swapped in (inspect): no");
    CHECK(ptp::engine::refusal_of({"/x/a.so", "/y/b.so"}, error).text() ==
          "/x/a.so, /y/b.so: cannot be swapped in (inspect): no");
}

TEST_CASE("swap error: it blames the build, unless the system lacks something") {
    CHECK(SwapError(SwapPhase::kLoad, {"no"}).code() == kPluginError);
    const SwapError lack(SwapPhase::kLoad, {"Too many open files"}, RefusedFor::kNow,
                         kTrainingError);
    CHECK(lack.code() == kTrainingError);
    const auto fails = [] { throw std::runtime_error("full"); };
    try {
        in_phase(SwapPhase::kCommit, fails, RefusedFor::kNow, kTrainingError);
        FAIL("nothing was thrown");
    } catch (const SwapError& error) {
        CHECK(error.code() == kTrainingError);
        CHECK(error.what() == std::string("now (commit): full"));
    }
}

TEST_CASE("swap error: what goes wrong in a phase is of that phase, unless it is of another") {
    CHECK(in_phase(SwapPhase::kCreate, [] { return 3; }) == 3);
    const auto fails = [] { throw std::logic_error("the reason"); };
    CHECK_THROWS_WITH_AS(in_phase(SwapPhase::kCreate, fails), "(create): the reason", SwapError);
    const auto refuses = [] { throw SwapError(SwapPhase::kLoad, {"the reason"}); };
    CHECK_THROWS_WITH_AS(in_phase(SwapPhase::kCreate, refuses), "(load): the reason", SwapError);
}

}  // namespace swap_error_test
