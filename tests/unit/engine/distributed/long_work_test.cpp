#include "engine/distributed/long_work.hpp"

#include "base/error.hpp"
#include "unit/engine/distributed/ranks.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <future>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

namespace long_work_test {

using namespace ptp::engine;
using ptp::test::run_ranks;
using std::chrono::milliseconds;

TEST_CASE("long work: the others wait for longer than their time limit while the first one runs") {
    constexpr milliseconds kLimit{200};
    constexpr int kSigns = 8;  // a sign comes after each quarter of the limit
    std::mutex mutex;
    std::condition_variable come;
    int signs = 0;
    bool is_done = false;
    bool was_done_at_return = false;
    run_ranks(
        2,
        [&](Group& group) {
            group.watch([&](const char*, bool is_over) {
                const std::lock_guard<std::mutex> lock(mutex);
                signs += !group.is_first() && is_over ? 1 : 0;
                come.notify_all();
            });
            work_in_first(group, "the checkpoint", [&] {
                std::unique_lock<std::mutex> lock(mutex);
                come.wait(lock, [&] { return signs >= kSigns; });
                is_done = true;
            });
            const std::lock_guard<std::mutex> lock(mutex);
            was_done_at_return = is_done;
            group.watch({});
        },
        kLimit);
    CHECK(was_done_at_return);
}

TEST_CASE("long work: a first process that gives no sign is noticed within the time limit") {
    std::string error;
    std::promise<void> has_noticed;
    run_ranks(
        2,
        [&](Group& group) {
            if (group.is_first()) {
                has_noticed.get_future().wait();  // It does not come, nor end.
                return;
            }
            try {
                work_in_first(group, "the checkpoint", [] {});
            } catch (const ptp::RunError& failure) {
                error = failure.code() == ptp::kPeerLost ? failure.what() : "another code";
            }
            has_noticed.set_value();
        },
        milliseconds(200), false);
    CHECK(error.starts_with(
        "rank 1 of 2 on here: the checkpoint cannot be done with the other processes: "));
}

TEST_CASE("long work: what it throws is thrown, and the others do not wait for it") {
    std::atomic<int> caught = 0;
    run_ranks(
        2,
        [&](Group& group) {
            try {
                work_in_first(group, "the checkpoint",
                              [] { throw std::runtime_error("the disk is full"); });
            } catch (const std::runtime_error& error) {
                const std::string text = error.what();
                caught += group.is_first() ? (text == "the disk is full" ? 1 : 0)
                                           : (text.starts_with("rank 1 of 2") ? 10 : 0);
            }
        },
        milliseconds(10000), false);
    CHECK(caught == 11);
}

TEST_CASE("long work: work that hangs is waited for until the patience ends, and told of twice") {
    std::string error;
    std::vector<std::string> told;
    std::promise<void> has_noticed;
    run_ranks(
        2,
        [&](Group& group) {
            const Patience patience{milliseconds(500),
                                    [&](const std::string& text) { told.push_back(text); }};
            try {
                work_in_first(
                    group, "the checkpoint", [&] { has_noticed.get_future().wait(); }, patience);
            } catch (const ptp::RunError& failure) {
                if (!group.is_first()) {
                    error = failure.code() == ptp::kPeerLost ? failure.what() : "another code";
                }
            }
            if (!group.is_first()) {
                has_noticed.set_value();
            }
        },
        milliseconds(200), false);
    CHECK(error.starts_with(
        "rank 1 of 2 on here: the checkpoint cannot be done with the other processes: "));
    CHECK(told == std::vector<std::string>{
                      "the checkpoint has taken 0.2 s so far: the other processes wait for it for "
                      "at most 0.5 s",
                      "the checkpoint has not ended within 0.5 s: the other processes do not wait "
                      "for it any longer"});
}

}  // namespace long_work_test
