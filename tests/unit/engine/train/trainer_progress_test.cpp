#include "engine/train/trainer_progress.hpp"

#include "base/error.hpp"
#include "support/texts.hpp"

#include <doctest/doctest.h>

#include <string>

namespace trainer_progress_test {

using ptp::RunError;
using ptp::engine::Status;
using ptp::engine::TrainerProgress;

namespace {

TrainerProgress state() {
    TrainerProgress made;
    made.set_status(Status::kEpochLimit);
    made.epoch = 2;
    made.batches_done = 3;
    made.episodes_done = 23;
    made.partly_validated = 20;
    made.best_saved = 10;
    made.journal = 4;
    made.last = {"validation", 22, 3, 0.5, {{"accuracy", 0.75}}};
    made.best = {"validation", 9, 1, 0.25, {{"accuracy", 1.0}}};
    made.seconds = 1.5;
    return made;
}

TrainerProgress read_back(const TrainerProgress& state) {
    return TrainerProgress(ptp::run::trainer_record_from(value_of(state)));
}

std::string problem_of(const ptp::run::TrainerRecord& record) {
    return ptp::test::error_of<RunError>(ptp::kDataError, [&] { TrainerProgress{record}; });
}

}  // namespace

TEST_CASE("trainer progress: all of it comes back from a checkpoint's record") {
    const TrainerProgress before = state();
    const TrainerProgress read = read_back(before);
    CHECK(read.status() == Status::kEpochLimit);
    CHECK(read.epoch == 2);
    CHECK(read.batches_done == 3);
    CHECK(read.episodes_done == 23);
    CHECK(read.partly_validated == 20);
    CHECK(read.best_saved == 10);
    CHECK(read.journal == 4);
    CHECK(read.last.set == "validation");
    CHECK(read.last.episode == 22);
    CHECK(read.last.epoch == 3);
    CHECK(read.last.loss == 0.5);
    CHECK(value_of(read.last) == value_of(before.last));
    CHECK(read.best.loss == 0.25);
    CHECK(read.seconds == 1.5);
    TrainerProgress other = before;
    other.seconds.reset();
    CHECK(!read_back(other).seconds);
}

TEST_CASE("trainer progress: a status that no checkpoint can have is refused") {
    for (const char* status : {"interrupted", "", "done"}) {
        CAPTURE(status);
        ptp::run::TrainerRecord record = state();
        record.status = status;
        CHECK(problem_of(record) == std::string("'status' is ") + status);
    }
}

TEST_CASE("trainer progress: the last episode belongs to the epoch that it was in") {
    TrainerProgress made;
    CHECK(made.last_position().episode == 0);
    CHECK(made.last_position().epoch == 0);
    CHECK(made.epochs_begun() == 0);
    made.episodes_done = 3;
    made.batches_done = 3;
    CHECK(made.last_position().episode == 2);
    CHECK(made.last_position().epoch == 0);
    CHECK(made.epochs_begun() == 1);
    made.batches_done = 0;  // the epoch of three batches is at its end
    made.epoch = 1;
    CHECK(made.last_position().episode == 2);
    CHECK(made.last_position().epoch == 0);
    CHECK(made.epochs_begun() == 1);
    CHECK(made.next_position().episode == 3);
    CHECK(made.next_position().epoch == 1);
    CHECK(made.next_position().batch == 0);
}

TEST_CASE("trainer progress: without the best weights there is no best measurement") {
    TrainerProgress made = state();
    made.forget_best();
    CHECK(made.best_saved == 0);
    CHECK(made.best.set.empty());
    CHECK(made.last.set == "validation");
}

}  // namespace trainer_progress_test
