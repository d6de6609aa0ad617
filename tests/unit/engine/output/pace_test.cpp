#include "engine/output/pace.hpp"

#include <doctest/doctest.h>

namespace pace_test {

using namespace ptp::engine;

namespace {

// 3 epochs of 10 episodes, a validation of 4 batches after each, a test of 6.
Course course() {
    Course course;
    course.episodes_per_epoch = 10;
    course.epoch_count = 3;
    course.episode_count = 30;
    course.validation_batches = 4;
    course.test_batches = 6;
    return course;
}

}  // namespace

TEST_CASE(
    "course: what is left are the episodes, the validations that they lead to, and the test") {
    const Course all = course();
    CHECK(all.left(0, Phase::kTraining, 0) == BatchCounts{30, 12, 6});
    CHECK(all.left(9, Phase::kTraining, 9) == BatchCounts{21, 12, 6});
    CHECK(all.left(10, Phase::kValidation, 0) == BatchCounts{20, 12, 6});
    CHECK(all.left(10, Phase::kValidation, 3) == BatchCounts{20, 9, 6});
    CHECK(all.left(11, Phase::kTraining, 1) == BatchCounts{19, 8, 6});
    CHECK(all.left(30, Phase::kValidation, 4) == BatchCounts{0, 0, 6});
    CHECK(all.left(30, Phase::kTest, 5) == BatchCounts{0, 0, 1});
}

TEST_CASE("course: an epoch that a limit cuts off is validated too") {
    Course cut = course();
    cut.episode_count = 12;
    CHECK(cut.left(11, Phase::kTraining, 1) == BatchCounts{1, 4, 6});
    CHECK(cut.left(12, Phase::kValidation, 1) == BatchCounts{0, 3, 6});
}

TEST_CASE(
    "course: the online worker validates one batch now and then, and the whole set at the end") {
    Course online = course();
    online.validates_epochs = false;
    online.partial_interval = 5;
    CHECK(online.left(0, Phase::kTraining, 0) == BatchCounts{30, 4 + 6, 6});
    CHECK(online.left(20, Phase::kTraining, 0) == BatchCounts{10, 4 + 2, 6});
}

TEST_CASE("course: without limits nothing can be said of what is left") {
    Course endless = course();
    endless.episode_count = kUnlimited;
    CHECK(endless.left(5, Phase::kTraining, 5)[0] == kUnlimited);
}

TEST_CASE(
    "pace: a few batches do not tell how long the others take, and the first one tells least") {
    double now = 0;
    Pace pace([&] { return now; });
    now += 30;
    pace.batch(Phase::kTraining);
    CHECK(pace.seconds_left({100, 0, 0}) == std::nullopt);
    for (int i = 0; i < 3; ++i) {
        now += 0.5;
        pace.batch(Phase::kTraining);
    }
    CHECK(pace.batches_per_second(Phase::kTraining) == 2);
    CHECK(pace.seconds_left({100, 0, 0}) == 50);

    CHECK_FALSE(ptp::engine::is_enough(4, 19));
    CHECK(ptp::engine::is_enough(5, 2));
    CHECK_FALSE(ptp::engine::is_enough(5, 1.9));
    CHECK_FALSE(ptp::engine::is_enough(1, 1000));
    CHECK(ptp::engine::is_enough(2, 20));
}

TEST_CASE("pace: after a swap nothing is known until enough was measured again") {
    double now = 0;
    Pace pace([&] { return now; });
    const auto batches = [&](int count, double seconds) {
        for (int i = 0; i < count; ++i) {
            now += seconds;
            pace.batch(Phase::kTraining);
        }
    };
    batches(10, 1);
    CHECK(pace.seconds_left({10, 0, 0}) == 10);
    pace.forget();
    CHECK(pace.seconds_left({10, 0, 0}) == std::nullopt);
    batches(1, 3);
    CHECK(pace.seconds_left({10, 0, 0}) == std::nullopt);
    batches(4, 2);
    CHECK(pace.seconds_left({10, 0, 0}) == 20);
    CHECK(pace.seconds() == 10 + 3 + 8);
}

TEST_CASE("pace: the time left sums all phases, each at its own pace, without pauses") {
    double now = 100;
    Pace pace([&] { return now; });
    CHECK(pace.seconds_left({10, 0, 0}) == std::nullopt);
    for (int i = 0; i < 5; ++i) {
        now += 2;
        pace.batch(Phase::kTraining);
    }
    CHECK(pace.batches_per_second(Phase::kTraining) == 0.5);
    CHECK(pace.seconds_left({10, 0, 0}) == 20);
    // Nothing is known of the others yet: they are taken to be like training.
    CHECK(pace.seconds_left({10, 4, 1}) == 30);
    now += 0.5;
    pace.batch(Phase::kValidation);
    CHECK(pace.seconds_left({10, 4, 1}) == 30);
    now += 0.5;
    pace.batch(Phase::kValidation);
    CHECK(pace.seconds_left({10, 4, 1}) == 20 + 2 + 0.5);

    pace.hold();
    now += 1000;
    pace.release();
    now += 2;
    pace.batch(Phase::kTraining);
    CHECK(pace.batches_per_second(Phase::kTraining) == 0.5);
    CHECK(pace.seconds() == 13);
    CHECK(pace.seconds_left({kUnlimited, 0, 0}) == std::nullopt);
    CHECK(pace.seconds_left({0, 0, 0}) == 0);
}

}  // namespace pace_test
