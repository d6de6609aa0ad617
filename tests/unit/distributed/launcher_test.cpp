#include "distributed/launcher.hpp"

#include "distributed/failure.hpp"
#include "support/paths.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <csignal>

namespace launcher_test {

using namespace ptp::distributed;
using ptp::test::TempFolder;

Launch launch_in(const TempFolder& folder, const std::vector<std::string>& roles) {
    Launch launch{.program = ptp::test::build_dir() / "tests" / "rank_program",
                  .arguments = {folder.path().string()},
                  .size = static_cast<std::int64_t>(roles.size()),
                  .host = "node7"};
    launch.arguments.insert(launch.arguments.end(), roles.begin(), roles.end());
    for (std::int64_t rank = 0; rank < launch.size; ++rank) {
        launch.logs.push_back(folder.path() / (std::to_string(rank) + ".log"));
        launch.states.push_back(folder.path() / (std::to_string(rank) + ".state"));
    }
    launch.patience = std::chrono::milliseconds(0);
    launch.grace = std::chrono::hours(1);
    return launch;
}

const RankEnd& end_of(const LaunchEnd& end, std::int64_t rank) {
    for (const RankEnd& one : end.ranks) {
        if (one.rank == rank) {
            return one;
        }
    }
    FAIL("no end of rank " << rank);
    return end.ranks.front();
}

// Returns "rank 1, 137, transient: REASON", with the process of the rank as PID; "" for no failure.
std::string failure_text(const LaunchEnd& end, const Launch& launch) {
    const auto failure = failure_of(end, launch);
    if (!failure) {
        return "";
    }
    std::string reason = failure->reason;
    const std::string pid = std::to_string(end_of(end, failure->rank).pid);
    if (const std::size_t at = reason.find("process " + pid); at != std::string::npos) {
        reason.replace(at + 8, pid.size(), "PID");
    }
    return "rank " + std::to_string(failure->rank) + ", " + std::to_string(failure->code) +
           (failure->is_transient ? ", transient: " : ": ") + reason;
}

TEST_CASE("launcher: every process gets its place, and all but rank 0 a log") {
    const TempFolder folder;
    Launch launch = launch_in(folder, {"", "place", "place"});
    launch.variables["PTP_RUN_FOLDER"] = "/runs/a";
    const LaunchEnd end = run_processes(launch);
    CHECK(end.ranks.size() == 3);
    CHECK_FALSE(failure_of(end, launch));
    CHECK(exit_code_of(end) == 0);
    CHECK(folder.read("2.log") ==
          "RANK=2\nLOCAL_RANK=2\nWORLD_SIZE=3\nLOCAL_WORLD_SIZE=3\nMASTER_ADDR=127.0.0.1\n"
          "PTP_RUN_FOLDER=/runs/a\nlauncher is parent\n");
    CHECK_FALSE(std::filesystem::exists(folder.path() / "0.log"));
}

TEST_CASE("launcher: what a rank prints is appended to what its log has") {
    const TempFolder folder;
    folder.write("1.log", "before\n");
    run_processes(launch_in(folder, {"", "place"}));
    CHECK(folder.read("1.log").starts_with("before\nRANK=1\n"));
}

TEST_CASE("launcher: where one is killed the others are stopped, and it is named") {
    const TempFolder folder;
    const Launch launch = launch_in(folder, {"wait", "kill", "wait"});
    const LaunchEnd end = run_processes(launch);
    CHECK(end_of(end, 1).signal == SIGKILL);
    CHECK(end_of(end, 0).was_asked_to_end);
    CHECK(end_of(end, 2).code == 7);
    CHECK(failure_text(end, launch) ==
          "rank 1, 137, transient: rank 1 of 3 on node7 (process PID) was killed by SIGKILL");
    CHECK(failure_of(end, launch)->activity == "training, episode 0, in component net");
}

TEST_CASE("launcher: one that does not stop is killed") {
    const TempFolder folder;
    Launch launch = launch_in(folder, {"deaf", "fail"});
    launch.grace = std::chrono::milliseconds(0);
    const LaunchEnd end = run_processes(launch);
    CHECK(end_of(end, 0).signal == SIGKILL);
    CHECK(failure_text(end, launch) ==
          "rank 1, 5, transient: rank 1 of 2 on node7 (process PID) ended with exit code 5: the "
          "disk is full");
}

TEST_CASE("launcher: a first process that hangs in a checkpoint is killed when others give it up") {
    const TempFolder folder;
    Launch launch = launch_in(folder, {"deaf while it saves", "lost"});
    launch.grace = std::chrono::milliseconds(0);
    const LaunchEnd end = run_processes(launch);
    CHECK(end_of(end, 0).signal == SIGKILL);
    CHECK(failure_text(end, launch) ==
          "rank 0, 7, transient: rank 0 of 2 on node7 (process PID) did not come to an end of its "
          "checkpoint, and was stopped");
}

constexpr const char* kHalted =
    "rank 1, 7, transient: rank 1 of 2 on node7 (process PID) was halted by a signal, did not run for "
    "0.1 s, and was killed";

TEST_CASE("launcher: one that is halted is noticed and killed") {
    const TempFolder folder;
    Launch launch = launch_in(folder, {"wait", "hang"});
    launch.timeout = std::chrono::milliseconds(100);
    const LaunchEnd end = run_processes(launch);
    CHECK(failure_text(end, launch) == kHalted);
}

TEST_CASE("launcher: one that is halted before it begins is noticed and killed, too") {
    const TempFolder folder;
    Launch launch = launch_in(folder, {"connect", "hang early"});
    launch.timeout = std::chrono::milliseconds(100);
    const LaunchEnd end = run_processes(launch);
    CHECK(end_of(end, 0).was_asked_to_end);
    CHECK(failure_text(end, launch) == kHalted);
}

TEST_CASE("launcher: one that hangs has that as its cause, for the others") {
    const TempFolder folder;
    Launch launch = launch_in(folder, {"wait", "hang"});
    launch.timeout = std::chrono::milliseconds(100);
    const LaunchEnd end = run_processes(launch);
    REQUIRE(end_of(end, 1).status);
    CHECK(end_of(end, 1).status->cause == Cause::kHung);
}

TEST_CASE("launcher: a signal is passed on to all once, and they end as it says") {
    const TempFolder folder;
    Launch launch = launch_in(folder, {"stop", "interrupt parent"});
    launch.patience = std::chrono::hours(1);
    const LaunchEnd end = run_processes(launch);
    CHECK(end.signal == SIGINT);
    CHECK_FALSE(failure_of(end, launch));
    CHECK(exit_code_of(end) == 130);
}

TEST_CASE(
    "launcher: an interruption counts although a shell has had it ignored, a hangup does not") {
    const TempFolder folder;
    for (const int signal : {SIGINT, SIGHUP}) {
        std::signal(signal, SIG_IGN);
    }
    Launch launch = launch_in(folder, {"stop", "hang up and interrupt parent"});
    launch.patience = std::chrono::hours(1);
    const LaunchEnd end = run_processes(launch);
    for (const int signal : {SIGINT, SIGHUP}) {
        std::signal(signal, SIG_DFL);
    }
    CHECK(end.signal == SIGINT);
    CHECK(end_of(end, 0).code == 128 + SIGINT);
}

TEST_CASE("launcher: a log that cannot be written is the reason why none is started") {
    const TempFolder folder;
    Launch launch = launch_in(folder, {"stop", "stop"});
    launch.logs[1] = folder.path() / "none" / "1.log";
    const LaunchEnd end = run_processes(launch);
    CHECK(failure_text(end, launch) == "rank 0, 5: rank 1 of 2: cannot write " +
                                           (folder.path() / "none" / "1.log").string() +
                                           ": No such file or directory");
    CHECK(end_of(end, 0).signal == SIGKILL);
}

}  // namespace launcher_test
