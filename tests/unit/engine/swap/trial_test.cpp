// Work that is tried in a child process, and how it can go wrong.

#include "engine/swap/trial.hpp"
#include "base/error.hpp"
#include "base/explanation.hpp"
#include "engine/component/call.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <functional>
#include <mutex>
#include <stdexcept>

namespace trial_test {

using namespace ptp;
using namespace ptp::engine;
using ptp::test::TempFolder;

namespace {

constexpr TrialLimit kLong{60};
constexpr TrialLimit kShort{0.05};

// Waits for what never comes.
void wait_for_ever() {
    std::mutex mutex;
    std::condition_variable never;
    std::unique_lock<std::mutex> lock(mutex);
    never.wait(lock, [] { return false; });
}

void in_call(const std::function<void()>& work) {
    const Call call({"plugin 'p' 1: 'net' (Net)", "forward()"});
    work();
}

}  // namespace

TEST_CASE("trial in a process: it has a copy of everything") {
    const TempFolder folder;
    int number = 1;
    try_in_process(kLong, folder.path(), [&] { number = 2; });
    CHECK(number == 1);
}

TEST_CASE("trial in a process: what it throws has its text") {
    const TempFolder folder;
    CHECK_THROWS_WITH_AS(try_in_process(kLong, folder.path(),
                                        [] { throw RunError(kDataError, "the data are gone"); }),
                         "the data are gone", std::runtime_error);
    CHECK_THROWS_WITH_AS(try_in_process(kLong, folder.path(), [] { throw 7; }),
                         "an exception of an unknown type", std::runtime_error);
}

TEST_CASE("trial in a process: a crash says in which call it was") {
    const TempFolder folder;
    CHECK_THROWS_WITH_AS(
        try_in_process(kLong, folder.path(), [] { in_call([] { std::raise(SIGFPE); }); }),
        "plugin 'p' 1: 'net' (Net): forward() crashed (SIGFPE)", std::runtime_error);
    CHECK_THROWS_WITH_AS(try_in_process(kLong, folder.path(), [] { kill(getpid(), SIGKILL); }),
                         "the child process was ended by SIGKILL", std::runtime_error);
    CHECK_THROWS_WITH_AS(try_in_process(kLong, folder.path(), [] { kill(getpid(), 36); }),
                         "the child process was ended by signal 36", std::runtime_error);
}

TEST_CASE("trial in a process: a component that ends the process is reported as that") {
    const TempFolder folder;
    CHECK_THROWS_WITH_AS(try_in_process(kLong, folder.path(), [] { _exit(0); }),
                         "a new component ended the child process that it was tried in\n"
                         "    fix: let it throw an exception instead of ending the process",
                         std::runtime_error);
}

TEST_CASE("trial in a process: it is not late because of the status with which it ends") {
    const TempFolder folder;
    for (const int status : {0, 1, 113, 255}) {
        CAPTURE(status);
        CHECK_THROWS_WITH_AS(try_in_process(kLong, folder.path(), [status] { _exit(status); }),
                             "a new component ended the child process that it was tried in\n"
                             "    fix: let it throw an exception instead of ending the process",
                             std::runtime_error);
    }
}

TEST_CASE("trial in a process: after the limit it is ended") {
#if defined(__SANITIZE_THREAD__)
    MESSAGE("not run: the sanitizer keeps signals from the child of a process with threads");
    return;
#endif
    const TempFolder folder;
    CHECK_THROWS_WITH_AS(
        try_in_process(kShort, folder.path(), [] { in_call(wait_for_ever); }),
        "plugin 'p' 1: 'net' (Net): forward() is not done after 0.05 s\n    fix: make it quicker, or give "
        "it more time with swap.time_limit",
        std::runtime_error);
    CHECK_THROWS_WITH_AS(
        try_in_process(kShort, folder.path(),
                       [] {
                           std::fputs("half a line", stdout);
                           std::fflush(stdout);
                           wait_for_ever();
                       }),
        "is not done after 0.05 s\n    fix: make it quicker, or give it more time with "
        "swap.time_limit",
        std::runtime_error);
}

TEST_CASE("trial phase: the parent sees how far a child came") {
    const TempFolder folder;
    TrialPhase phase(SwapPhase::kLoad);
    CHECK(phase.current() == SwapPhase::kLoad);
    CHECK_THROWS(try_in_process(kLong, folder.path(), [&] {
        phase.enter(SwapPhase::kMigrate);
        std::raise(SIGKILL);
    }));
    CHECK(phase.current() == SwapPhase::kMigrate);
}

TEST_CASE("trial phase: the parent has the error of a child with any text") {
    const TempFolder folder;
    TrialPhase phase(SwapPhase::kLoad);
    const SwapError thrown(SwapPhase::kMigrate, {"no (commit): at all"}, RefusedFor::kNow,
                           kTrainingError);
    CHECK_THROWS(try_in_process(kLong, folder.path(), [&] {
        phase.note(thrown);
        throw std::runtime_error(thrown.cause().reason);
    }));
    const SwapError error = phase.error(thrown.cause());
    CHECK(error.phase() == SwapPhase::kMigrate);
    CHECK(error.what() == std::string("now (migrate): no (commit): at all"));
    CHECK(error.code() == kTrainingError);
}

TEST_CASE("trial: the parent knows what a child's error advises apart from its reason") {
    const TempFolder folder;
    try {
        try_in_process(kLong, folder.path(), [] {
            throw ptp::WithFix<std::runtime_error>({"two lines\n    fix: no", "let it count"});
        });
        FAIL("nothing was thrown");
    } catch (const std::runtime_error& error) {
        CHECK(ptp::explanation_of(error) ==
              ptp::Explanation{"two lines\n    fix: no", "let it count"});
    }
}

TEST_CASE("trial phase: what a child has not noted is an error of the phase that it was in") {
    TrialPhase phase(SwapPhase::kLoad);
    phase.enter(SwapPhase::kRehearse);
    const SwapError error = phase.error({"forward() crashed"});
    CHECK(error.what() == std::string("(rehearse): forward() crashed"));
    CHECK(error.code() == kPluginError);
}

}  // namespace trial_test
