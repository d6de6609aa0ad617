#include "distributed/failure.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <string>
#include <utility>
#include <vector>

namespace failure_test {

using namespace ptp::distributed;

RankEnd ended(std::int64_t rank, int code, bool was_asked_to_end = false) {
    RankEnd end{.rank = rank, .pid = 100 + rank, .code = code};
    end.was_asked_to_end = was_asked_to_end;
    return end;
}

RankStatus waiting(const std::string& collective, std::uint64_t count) {
    RankStatus status;
    status.phase = Phase::kTraining;
    status.collective = status.last_collective = collective;
    status.collective_count = count;
    return status;
}

Failure failure_of_ranks(std::vector<RankEnd> ranks) {
    const auto failure =
        failure_of({.ranks = std::move(ranks)},
                   {.size = 3, .host = "node7", .timeout = std::chrono::seconds(60)});
    REQUIRE(failure);
    return *failure;
}

TEST_CASE("failure: the first that failed by itself is named, not those that lost it") {
    const Failure failure = failure_of_ranks({ended(0, 7), ended(2, 5), ended(1, 3)});
    CHECK(failure.rank == 2);
    CHECK(failure.code == 5);
    CHECK(failure.reason == "rank 2 of 3 on node7 (process 102) ended with exit code 5");
}

TEST_CASE("failure: one that says another was lost is a consequence, whatever its code") {
    RankEnd lost = ended(0, 5);
    lost.status.emplace();
    lost.status->cause = Cause::kPeer;
    CHECK(failure_of_ranks({lost, ended(1, 4)}).rank == 1);
}

TEST_CASE("failure: configuration, plugins, data and divergence are not transient") {
    for (const int code : {1, 2, 3, 4, 6}) {
        CAPTURE(code);
        CHECK_FALSE(failure_of_ranks({ended(1, code)}).is_transient);
    }
    CHECK(failure_of_ranks({ended(1, 5)}).is_transient);
}

TEST_CASE("failure: where all waited too long the one that was in no collective is named") {
    RankEnd first = ended(0, 7);
    first.status = waiting("gradients 0", 12);
    RankEnd second = ended(1, 143, true);
    second.status = waiting("", 11);
    second.status->component = second.status->last_component = "net";
    RankEnd third = ended(2, 7, true);
    third.status = waiting("gradients 0", 12);
    const Failure failure = failure_of_ranks({first, third, second});
    CHECK(failure.rank == 1);
    CHECK(failure.code == 7);
    CHECK(failure.is_transient);
    CHECK(
        failure.reason ==
        "rank 1 of 3 on node7 (process 101) did not come to where the others waited for it for 60 s");
    CHECK(failure.activity == "training, episode 0, in component net");
}

TEST_CASE("failure: where all waited in vain for one to connect it is named") {
    const Failure failure =
        failure_of_ranks({ended(0, 7), ended(2, 143, true), ended(1, 137, true)});
    CHECK(failure.rank == 1);
    CHECK(failure.code == 7);
    CHECK(failure.is_transient);
    CHECK(failure.reason ==
          "rank 1 of 3 on node7 (process 101) did not connect with the others, and was stopped");
    CHECK(failure.activity == "");
}

TEST_CASE("failure: with many processes on each processor their numbers are named") {
    const auto failed_with = [](std::int64_t size, std::int64_t processors) {
        const auto failure = failure_of({.ranks = {ended(0, 7), ended(1, 143, true)}},
                                        {.size = size, .processors = processors, .host = "node7"});
        REQUIRE(failure);
        return *failure;
    };
    const std::string reason =
        " on node7 (process 101) did not connect with the others, and was stopped";
    CHECK(failed_with(200, 2).reason ==
          "rank 1 of 200" + reason + "; 200 processes share 2 processors");
    CHECK(failed_with(200, 2).better_size == 2);
    CHECK(failed_with(5, 1).reason == "rank 1 of 5" + reason + "; 5 processes share 1 processor");
    CHECK(failed_with(8, 2).reason == "rank 1 of 8" + reason);
    CHECK(failed_with(8, 2).better_size == 0);
    CHECK(failed_with(200, 0).better_size == 0);
}

TEST_CASE("failure: the fix continues a run, with as many processes as can be, or begins it so") {
    const Failure crowded{.is_transient = true, .better_size = 2};
    CHECK(fix_of(crowded, 200, "") == "--nproc 2");
    CHECK(fix_of(crowded, 200, "runs/my net") == "ptprun resume 'runs/my net' --nproc 2");
    const Failure killed{.is_transient = true};
    CHECK(fix_of(killed, 3, "runs/net") == "ptprun resume runs/net --nproc 3");
    CHECK(fix_of(killed, 3, "") == "");
    CHECK(fix_of(Failure(), 3, "runs/net") == "");
}

TEST_CASE(
    "failure: a process's own error is not followed by an advice to resume, which repeats it") {
    RankEnd refused = ended(1, 5);
    refused.status.emplace();
    refused.status->cause = Cause::kOwn;
    refused.status->error = "e.toml:2:1: 'net': forward() failed";
    const Failure failure = failure_of_ranks({ended(0, 7), refused});
    CHECK(failure.reason ==
          "rank 1 of 3 on node7 (process 101) ended with exit code 5: e.toml:2:1: 'net': forward() "
          "failed");
    CHECK(failure.is_transient);  // --restarts tries it: memory or a disk may be free again
    CHECK(fix_of(failure, 2, "runs/net") == "");

    refused.signal = SIGKILL;  // while it ended
    CHECK(fix_of(failure_of_ranks({refused}), 2, "runs/net") == "ptprun resume runs/net --nproc 2");
    CHECK(fix_of(failure_of_ranks({ended(1, 5)}), 2, "runs/net") ==
          "ptprun resume runs/net --nproc 2");
}

TEST_CASE("failure: a first process that hangs in its checkpoint is named") {
    RankEnd first = ended(0, 137, true);
    first.signal = SIGKILL;
    first.status = waiting("", 11);
    first.status->phase = Phase::kSaving;
    const Failure failure = failure_of_ranks({ended(1, 7), first});
    CHECK(failure.rank == 0);
    CHECK(failure.code == 7);
    CHECK(failure.is_transient);
    CHECK(failure.reason ==
          "rank 0 of 3 on node7 (process 100) did not come to an end of its checkpoint, and was "
          "stopped");
    CHECK(failure.activity == "saving, episode 0");
}

TEST_CASE("failure: a signal is named, and a real-time signal, which has no name, by its number") {
    RankEnd killed = ended(1, 137);
    killed.signal = SIGKILL;
    CHECK(failure_of_ranks({killed}).reason ==
          "rank 1 of 3 on node7 (process 101) was killed by SIGKILL");
    killed.signal = 36;
    killed.code = 164;
    const Failure failure = failure_of_ranks({killed});
    CHECK(failure.reason == "rank 1 of 3 on node7 (process 101) was killed by signal 36");
    CHECK(failure.code == 164);
}

TEST_CASE("failure: one that does not end although it was killed is named, and nothing restarts") {
    const std::string stuck =
        "was killed, but has not ended: it waits in the kernel, as for a file system that does not "
        "answer";
    RankEnd first = ended(0, 7, true);
    first.is_stuck = true;
    const Failure failure = failure_of_ranks({ended(1, 7), first});
    CHECK(failure.reason == "rank 0 of 3 on node7 (process 100) " + stuck);
    CHECK(failure.code == 7);
    CHECK_FALSE(failure.is_transient);

    const Failure beside = failure_of_ranks({ended(1, 5), first});
    CHECK(beside.reason ==
          "rank 1 of 3 on node7 (process 101) ended with exit code 5; rank 0 (process 100) " +
              stuck);
    CHECK(beside.code == 5);
    CHECK_FALSE(beside.is_transient);

    first.is_hung = true;
    CHECK(failure_of_ranks({first}).reason ==
          "rank 0 of 3 on node7 (process 100) did not run for 60 s, and " + stuck);
}

TEST_CASE("failure: where all end in the same way rank 0 is named, which reports it") {
    CHECK(failure_of_ranks({ended(1, 6), ended(0, 6), ended(2, 6)}).rank == 0);
    CHECK(failure_of_ranks({ended(1, 5), ended(0, 6)}).rank == 1);
}

TEST_CASE("failure: where nothing more is known the first is named") {
    CHECK(failure_of_ranks({ended(2, 7), ended(0, 7)}).reason ==
          "rank 2 of 3 on node7 (process 102) ended with exit code 7");
}

TEST_CASE("failure: processes that a signal asked to stop have not failed") {
    const LaunchEnd end{.ranks = {ended(1, 130), ended(0, 130)}, .signal = SIGINT};
    CHECK_FALSE(failure_of(end, {.size = 2, .host = "node7"}));
    CHECK(exit_code_of(end) == 130);
}

TEST_CASE("restarts: as often as allowed, and not after what would happen again") {
    Restarts restarts(2, 1);
    const Failure transient{.rank = 0, .code = 5, .is_transient = true};
    const Failure lasting{.rank = 0, .code = 2};
    CHECK_FALSE(restarts.after(lasting, 2));
    CHECK(restarts.done() == 0);
    CHECK(restarts.after(transient, 2) == 2);
    CHECK(restarts.after({.rank = 1, .code = 5, .is_transient = true}, 2) == 2);
    CHECK_FALSE(restarts.after(transient, 2));
    CHECK(restarts.done() == 2);
}

TEST_CASE("restarts: one process fewer where the same rank failed twice, down to the minimum") {
    Restarts restarts(10, 2);
    const Failure failure{.rank = 1, .code = 137, .is_transient = true};
    CHECK(restarts.after(failure, 4) == 4);
    CHECK(restarts.after(failure, 4) == 3);
    CHECK(restarts.after(failure, 3) == 3);
    CHECK(restarts.after(failure, 3) == 2);
    CHECK(restarts.after(failure, 2) == 2);
    CHECK(restarts.after(failure, 2) == 2);
}

}  // namespace failure_test
