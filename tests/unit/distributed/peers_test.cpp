#include "distributed/peers.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <vector>

namespace peers_test {

using namespace ptp::distributed;
using std::chrono::milliseconds;

RankStatus waiting(std::uint64_t beats = 1) {
    return {.pid = 17,
            .host = "node7",
            .beats = beats,
            .phase = Phase::kTraining,
            .episode = 12,
            .collective = "the sum of the gradients"};
}

// What happens to two other processes while it is looked at, and for how long.
struct Others : PeerView {
    explicit Others(std::map<std::int64_t, std::vector<RankStatus>> all,
                    std::vector<std::int64_t> ended = {})
        : reports(std::move(all)), gone(std::move(ended)) {}

    std::optional<RankStatus> read(std::int64_t rank) override {
        const auto found = reports.find(rank);
        if (found == reports.end()) {
            return std::nullopt;
        }
        const auto& list = found->second;
        return list[std::min<std::size_t>(static_cast<std::size_t>(waits), list.size() - 1)];
    }
    bool is_gone(std::int64_t pid) override {
        return std::find(gone.begin(), gone.end(), pid) != gone.end();
    }
    void wait(milliseconds) override { ++waits; }

    std::map<std::int64_t, std::vector<RankStatus>> reports;  // the last one remains
    std::vector<std::int64_t> gone;
    int waits = 0;
};

const Place kFirst{.rank = 0, .size = 3, .host = "node7"};

TEST_CASE("peers: a rank that has failed by itself is blamed at once, with its error") {
    RankStatus failed = waiting();
    failed.cause = Cause::kOwn;
    failed.error = "the disk is full\n    fix: make room";
    failed.component = "net";
    RankStatus victim = waiting();
    victim.cause = Cause::kPeer;
    Others others({{1, {victim}}, {2, {failed}}});
    CHECK(find_blamed(kFirst, others, milliseconds(3000)) ==
          "rank 2 of 3 on node7 has failed: the disk is full (training, episode 12, in component "
          "net)");
    CHECK(others.waits == 0);
}

TEST_CASE("peers: a rank whose process has ended without an error is blamed") {
    RankStatus killed = waiting();
    killed.pid = 18;
    killed.component = "net";
    Others others({{1, {waiting()}}, {2, {killed}}}, {18});
    CHECK(find_blamed(kFirst, others, milliseconds(3000)) ==
          "rank 2 of 3 on node7 has ended without an error, as if killed (training, episode 12, in "
          "component net)");
    CHECK(others.waits == 0);
}

TEST_CASE("peers: the number of a process of another host says nothing") {
    RankStatus far = waiting();
    far.host = "node8";
    far.pid = 18;
    RankStatus far_later = far;
    far_later.beats = 2;
    Others others({{1, {waiting(1), waiting(2)}}, {2, {far, far_later}}}, {18});
    CHECK(find_blamed(kFirst, others, milliseconds(300)) == std::nullopt);
    CHECK(others.waits == 3);
}

TEST_CASE("peers: a rank that ended because of another one is not blamed") {
    RankStatus victim = waiting();
    victim.cause = Cause::kPeer;
    victim.pid = 18;
    Others others({{1, {victim}}, {2, {waiting(1), waiting(2)}}}, {18});
    CHECK(find_blamed(kFirst, others, milliseconds(300)) == std::nullopt);
}

TEST_CASE("peers: a rank without a sign of life is blamed when the time is over") {
    Others others({{1, {waiting(1), waiting(2)}}, {2, {waiting(5)}}});
    CHECK(find_blamed(kFirst, others, milliseconds(300)) ==
          "rank 2 of 3 on node7 gives no sign of life: it is stopped, or cannot be reached "
          "(training, episode 12)");
    CHECK(others.waits == 3);
}

TEST_CASE("peers: a rank that the launcher has found to hang is silent, also when it has ended") {
    RankStatus hung = waiting();
    hung.cause = Cause::kHung;
    hung.pid = 18;
    Others others({{1, {waiting()}}, {2, {hung}}}, {18});
    CHECK(find_blamed(kFirst, others, milliseconds(3000)) ==
          "rank 2 of 3 on node7 gives no sign of life: it is stopped, or cannot be reached "
          "(training, episode 12)");
    CHECK(others.waits == 0);
}

TEST_CASE("peers: a rank that runs, and has not come to the collective, is blamed last") {
    RankStatus busy = waiting(1);
    busy.collective = "";
    busy.component = "net";
    RankStatus later = busy;
    later.beats = 2;
    Others others({{1, {waiting(1), waiting(2)}}, {2, {busy, later}}});
    CHECK(find_blamed(kFirst, others, milliseconds(300)) ==
          "rank 2 of 3 on node7 has not come to where the others wait for it (training, episode "
          "12, in component net)");
}

}  // namespace peers_test
