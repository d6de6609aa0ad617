#include "distributed/rank_state.hpp"

#include "base/child_process.hpp"
#include "base/error.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <csignal>
#include <optional>
#include <string>
#include <thread>

namespace rank_state_test {

using namespace ptp::distributed;
using ptp::test::TempFolder;

TEST_CASE("rank state: that a process hangs is noted once, and not over a cause of its own") {
    const TempFolder folder;
    const auto file = folder.path() / "1.state";
    note_hung(file);
    CHECK_FALSE(std::filesystem::exists(file));
    RankState state(file, "node7");
    note_hung(file);
    CHECK(read_rank_state(file)->cause == Cause::kHung);
    const auto other = folder.path() / "2.state";
    RankState failed(other, "node7");
    failed.fail(Cause::kOwn, "the disk is full");
    note_hung(other);
    CHECK(read_rank_state(other)->cause == Cause::kOwn);
}

TEST_CASE("rank state: another process reads what this one is doing") {
    const TempFolder folder;
    const auto file = folder.path() / "1.state";
    RankState state(file, "node7");
    state.enter(Phase::kTraining);
    state.begin_episode(12);
    state.beat();
    state.enter_component("net");
    state.leave_component();
    state.enter_collective("gradients 3");
    const auto status = read_rank_state(file);
    REQUIRE(status);
    CHECK(status->pid == getpid());
    CHECK(status->host == "node7");
    CHECK(status->beats == 1);
    CHECK(status->phase == Phase::kTraining);
    CHECK(status->episode == 12);
    CHECK(status->component == "");
    CHECK(status->last_component == "net");
    CHECK(status->collective == "gradients 3");
    CHECK(status->collective_count == 1);
    CHECK(status->cause == Cause::kNone);
    CHECK(text_of(*status) ==
          "training, episode 12, last component net, in collective gradients 3 (number 1)");
    state.leave_collective();
    state.enter_component("net");
    CHECK(text_of(*read_rank_state(file)) ==
          "training, episode 12, in component net, last collective gradients 3 (number 1)");
}

TEST_CASE("rank state: the first cause of a failure remains") {
    const TempFolder folder;
    const auto file = folder.path() / "1.state";
    RankState state(file, "node7");
    state.fail(Cause::kOwn, "the disk is full");
    state.fail(Cause::kPeer, "connection closed");
    CHECK(read_rank_state(file)->cause == Cause::kOwn);
    CHECK(read_rank_state(file)->error == "the disk is full");
}

TEST_CASE("rank state: a cause that can be read has its error") {
    const TempFolder folder;
    for (int round = 0; round < 50; ++round) {
        const auto file = folder.path() / "1.state";
        RankState state(file, "node7");
        std::thread failing([&state] { state.fail(Cause::kOwn, "the disk is full"); });
        std::optional<RankStatus> status;
        do {
            status = read_rank_state(file);
        } while (!status || status->cause == Cause::kNone);
        failing.join();
        REQUIRE(status->error == "the disk is full");
    }
}

TEST_CASE("rank state: it outlives a process that is killed") {
    const TempFolder folder;
    const auto file = folder.path() / "1.state";
    const ptp::ChildEnd end = ptp::run_in_child(
        [&file]() -> std::string {
            RankState state(file, "node7");
            state.enter_component("net");
            kill(getpid(), SIGKILL);
            return "";
        },
        std::chrono::seconds(60));
    CHECK(end.status == SIGKILL);
    CHECK(read_rank_state(file)->component == "net");
}

TEST_CASE("rank state: long names are cut between characters") {
    const TempFolder folder;
    const auto file = folder.path() / "1.state";
    RankState state(file, "node7");
    state.enter_component(std::string(126, 'a') + "\u00e9");  // the second byte has no room
    CHECK(read_rank_state(file)->component == std::string(126, 'a'));
}

TEST_CASE("rank state: a process that does not see the file gets its content, and reads it alike") {
    const TempFolder folder;
    const auto file = folder.path() / "1.state";
    CHECK(rank_state_bytes(file) == "");
    RankState state(file, "node7");
    state.begin_episode(12);
    state.fail(Cause::kOwn, "the disk is full");
    const std::string bytes = rank_state_bytes(file);
    REQUIRE(rank_status(bytes));
    CHECK(rank_status(bytes)->host == "node7");
    CHECK(rank_status(bytes)->episode == 12);
    CHECK(rank_status(bytes)->cause == Cause::kOwn);
    CHECK(rank_status(bytes)->error == "the disk is full");
    CHECK_FALSE(rank_status(""));
    CHECK_FALSE(rank_status(bytes.substr(1)));
    CHECK_FALSE(rank_status(bytes + " "));
    CHECK_FALSE(rank_status(std::string(bytes.size(), 'x')));
}

TEST_CASE("rank state: what is not such a file has no status") {
    const TempFolder folder;
    CHECK_FALSE(read_rank_state(folder.path() / "1.state"));
    CHECK_FALSE(read_rank_state(folder.write("2.state", "text")));
    CHECK_FALSE(read_rank_state(folder.write("3.state", std::string(5000, 'x'))));
}

TEST_CASE("rank state: a folder that is missing is refused") {
    const TempFolder folder;
    const auto file = folder.path() / "none" / "1.state";
    CHECK_THROWS_WITH_AS(RankState(file, "node7"),
                         ("cannot write " + file.string() + ": No such file or directory").c_str(),
                         ptp::RunError);
}

}  // namespace rank_state_test
