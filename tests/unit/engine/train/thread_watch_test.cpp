#include "engine/train/training_threads.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <optional>

namespace thread_watch_test {

using ptp::CpuTimes;
using ptp::engine::ThreadWatch;

namespace {

// A machine of two cores whose clock advances with the episodes.
class Machine {
public:
    explicit Machine(const ThreadWatch::Setup& setup) : watch_(setup, times_) {}

    // Twenty seconds of episodes of this length; what the watch says first.
    std::optional<ThreadWatch::Advice> train(double episode, double others, double waiting = 0) {
        for (double seconds = 0; seconds < 20; seconds += episode) {
            times_.wall += episode;
            const double own = std::max(2 - others, 0.5);
            times_.own += episode * own;
            times_.machine += episode * (own + others);
            times_.waiting += episode * waiting;
            if (times_.group) {
                *times_.group += episode * (own + in_group_);
            }
            if (watch_.episode(episode)) {
                if (auto advice = watch_.judge(times_)) {
                    return advice;
                }
            }
        }
        return std::nullopt;
    }

    // From now on other processes of its control group keep this many cores busy.
    void count_group(double others) {
        times_.group = times_.group.value_or(0);
        in_group_ = others;
    }

private:
    CpuTimes times_{};
    double in_group_ = 0;
    ThreadWatch watch_;
};

constexpr ThreadWatch::Setup kTwo{.threads = 2, .cores = 2, .may_change = false};
constexpr ThreadWatch::Setup kAuto{.threads = 2, .cores = 2, .may_change = true};

}  // namespace

TEST_CASE("thread watch: says once why episodes have become slow, and what helps") {
    Machine machine(kTwo);
    CHECK_FALSE(machine.train(0.01, 0));
    const auto advice = machine.train(0.08, 1.0, 0.9);
    REQUIRE(advice);
    CHECK(advice->threads == 2);
    CHECK(advice->text ==
          "an episode takes 80.0 ms, at best 10.0: other processes keep 1.0 of 2 cores busy, and "
          "the 2 threads wait for the one that has none; --threads 1 would be faster, --threads "
          "auto changes their number when it must (the numbers may then differ in their last "
          "bits)");
    CHECK_FALSE(machine.train(0.08, 1.0, 0.9));
}

TEST_CASE("thread watch: says nothing where episodes are slow for another reason") {
    Machine machine(kTwo);
    CHECK_FALSE(machine.train(0.01, 0));
    CHECK_FALSE(machine.train(0.08, 0));
    CHECK_FALSE(machine.train(0.08, 0.2, 0.1));
}

TEST_CASE("thread watch: says nothing where episodes are not slow, whoever else computes") {
    Machine machine(kTwo);
    CHECK_FALSE(machine.train(0.01, 1.0, 0.9));
    CHECK_FALSE(machine.train(0.02, 1.0, 0.9));
}

TEST_CASE("thread watch: says nothing where others compute and a core is free for each thread") {
    Machine machine({.threads = 2, .cores = 64, .may_change = true});
    CHECK_FALSE(machine.train(0.01, 0));
    CHECK_FALSE(machine.train(0.08, 1.0, 0.9));
    CHECK_FALSE(machine.train(0.08, 1.0));
}

TEST_CASE("thread watch: says nothing where others compute and no thread waits for a core") {
    Machine machine(kAuto);
    CHECK_FALSE(machine.train(0.01, 0));
    CHECK_FALSE(machine.train(0.08, 1.0));
}

TEST_CASE("thread watch: says nothing of a training with one thread") {
    Machine machine({.threads = 1, .cores = 2, .may_change = true});
    CHECK_FALSE(machine.train(0.01, 0));
    CHECK_FALSE(machine.train(0.08, 1.0, 0.9));
}

TEST_CASE("thread watch: takes threads away beside others, and brings them back after them") {
    Machine machine(kAuto);
    CHECK_FALSE(machine.train(0.01, 0));
    const auto fewer = machine.train(0.08, 1.0, 0.9);
    REQUIRE(fewer);
    CHECK(fewer->threads == 1);
    CHECK(fewer->text ==
          "an episode takes 80.0 ms, at best 10.0: other processes keep 1.0 of 2 cores busy, and "
          "the 2 threads wait for the one that has none; 1 thread from here on, the numbers may "
          "differ in their last bits");
    CHECK_FALSE(machine.train(0.014, 1.0));
    const auto more = machine.train(0.014, 0);
    REQUIRE(more);
    CHECK(more->threads == 2);
    CHECK(more->text ==
          "the other processes have ended; 2 threads from here on, the numbers may differ in their "
          "last bits");
}

TEST_CASE("thread watch: takes threads away that never were alone") {
    Machine machine(kAuto);
    const auto fewer = machine.train(0.08, 1.0, 0.9);
    REQUIRE(fewer);
    CHECK(fewer->threads == 1);
    CHECK(fewer->text ==
          "other processes keep 1.0 of 2 cores busy, and the 2 threads wait for the one that has "
          "none; 1 thread from here on, the numbers may differ in their last bits");
}

TEST_CASE("thread watch: other processes of its control group take of its quota") {
    Machine machine({.threads = 2, .cores = 8, .may_change = true, .quota = 2});
    machine.count_group(0);
    CHECK_FALSE(machine.train(0.01, 1.5, 0.9));
    machine.count_group(1);
    const auto fewer = machine.train(0.08, 1.5, 0.9);
    REQUIRE(fewer);
    CHECK(fewer->threads == 1);
    CHECK(fewer->text ==
          "an episode takes 80.0 ms, at best 10.0: other processes keep 1.0 of 2 cores busy, and "
          "the 2 threads wait for the one that has none; 1 thread from here on, the numbers may "
          "differ in their last bits");
    machine.count_group(0);
    CHECK(machine.train(0.01, 1.5)->threads == 2);
}

TEST_CASE("thread watch: processes outside of its control group take the cores of its quota") {
    Machine machine({.threads = 2, .cores = 8, .may_change = true, .quota = 2});
    machine.count_group(0);
    const auto fewer = machine.train(0.08, 7.5, 0.9);
    REQUIRE(fewer);
    CHECK(fewer->threads == 1);
    CHECK(fewer->text ==
          "other processes keep 7.5 of 8 cores busy, and the 2 threads wait for the one that has "
          "none; 1 thread from here on, the numbers may differ in their last bits");
}

}  // namespace thread_watch_test
