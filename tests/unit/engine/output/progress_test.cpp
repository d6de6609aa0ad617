#include "engine/output/progress.hpp"

#include "support/memory_console.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <optional>
#include <string>

namespace progress_test {

using namespace ptp::engine;

namespace {

std::uint64_t episode_count(std::int64_t epoch_limit, std::int64_t episode_limit) {
    ptp::experiment::Experiment experiment;
    experiment.training.terminal_conditions.epoch_limit = epoch_limit;
    experiment.training.terminal_conditions.episode_limit = episode_limit;
    return course_of(experiment, 7).episode_count;
}

// A training of four epochs of two episodes, with a clock of its own.
class Training {
public:
    explicit Training(ConsoleStyle style) : terminal_(style) {
        ProgressSetup setup;
        setup.course.episodes_per_epoch = 2;
        setup.course.epoch_count = 4;
        setup.course.episode_count = 8;
        setup.course.validation_batches = 2;
        setup.loss_name = "total_loss";
        setup.statistic_name = "accuracy";
        setup.clock = [this] { return now_; };
        progress_.emplace(terminal_.console, setup);
    }

    void epoch(std::uint64_t number, double seconds) {
        for (std::uint64_t i = 0; i < 2; ++i) {
            now_ += seconds / 2;
            progress_->episode({2 * number + i, number, 0.5, 0, 0.25});
        }
        const std::string where = "epoch " + progress_->epoch_text(number);
        progress_->result({where, "training", "loss 0.5", false, true});
        progress_->result({where, "validation", "loss 0.6", number == 0, false});
    }

    Progress& progress() { return *progress_; }
    double& now() { return now_; }

    [[nodiscard]] std::string printed() const { return terminal_.printed(); }

private:
    double now_ = 0;
    ptp::test::MemoryConsole terminal_;
    std::optional<Progress> progress_;
};

}  // namespace

TEST_CASE("progress: a training has the episodes of its epochs, or as many as its limit") {
    CHECK(episode_count(3, -1) == 21);
    CHECK(episode_count(3, 22) == 21);
    CHECK(episode_count(3, 5) == 5);
}

TEST_CASE("progress: with a huge limit of epochs the number of episodes does not overflow") {
    constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();
    CHECK(episode_count(kHuge, -1) == std::numeric_limits<std::uint64_t>::max());
    CHECK(episode_count(kHuge, 5) == 5);
}

TEST_CASE("progress: a pipe gets a line for each of twenty epochs, then at most one in a second") {
    Training training({Verbosity::kNormal, false, false});
    std::string expected;
    for (std::uint64_t epoch = 0; epoch < 20; ++epoch) {
        training.epoch(epoch, 0.25);
        expected += "epoch " + std::to_string(epoch + 1) +
                    "/4  training  loss 0.5  validation  loss 0.6" +
                    (epoch == 0 ? "  (best)\n" : "\n");
    }
    CHECK(training.printed() == expected);
    training.epoch(20, 0.25);
    training.epoch(21, 0.25);
    CHECK(training.printed() == expected);
    training.epoch(22, 0.75);
    expected += "epoch 23/4  training  loss 0.5  validation  loss 0.6\n";
    CHECK(training.printed() == expected);
    training.epoch(23, 0.25);
    training.progress().flush();
    training.progress().flush();
    CHECK(training.printed() ==
          expected + "epoch 24/4  training  loss 0.5  validation  loss 0.6\n");
}

TEST_CASE("progress: verbose, a pipe gets every line") {
    Training training({Verbosity::kVerbose, false, false});
    training.epoch(0, 1);
    training.epoch(1, 1);
    const std::string text = training.printed();
    for (const char* line :
         {"\nepoch 1/4  training    loss 0.5\n", "\nepoch 1/4  validation  loss 0.6  (best)\n",
          "\nepoch 2/4  training    loss 0.5\n", "\nepoch 2/4  validation  loss 0.6\n"}) {
        CAPTURE(line);
        CHECK(text.find(line) != std::string::npos);
    }
    CHECK(text.find("epoch 1/4  training  [") == 0);
    CHECK(text.find("1/2  total_loss 0.5000  accuracy 0.2500  ") != std::string::npos);
}

TEST_CASE("progress: on a terminal each set of an epoch has its line, beneath the live one") {
    Training training({Verbosity::kNormal, true, false});
    training.epoch(0, 1);
    const std::string text = training.printed();
    CHECK(text.starts_with(
        "\r\x1b[Kepoch 1/4  training  [=====>    ]  1/2  total_loss 0.5000  accuracy 0.2500  2/s"));
    CHECK(
        text.ends_with("\r\x1b[Kepoch 1/4  training    loss 0.5\n"
                       "epoch 1/4  validation  loss 0.6  (best)\n"));
}

TEST_CASE("progress: the time left counts validations, and neither pauses nor what is done") {
    Training training({Verbosity::kQuiet, false, false});
    CHECK(training.progress().seconds_left() == std::nullopt);
    training.epoch(0, 20);  // 10 s for each episode
    // 6 episodes, and 4 validations of 2 batches that are taken to last as long: the first of them
    // is still to be made.
    training.progress().begin_pass(Phase::kValidation, 0);
    CHECK(training.progress().seconds_left() == 6 * 10 + 8 * 10);
    for (std::uint64_t i = 1; i <= 2; ++i) {
        training.now() += 1;
        training.progress().batch(i, 2);
    }
    CHECK(training.progress().seconds_left() == 6 * 10 + 6 * 1);
    training.progress().hold();
    training.now() += 3600;
    training.progress().release();
    training.epoch(1, 20);
    CHECK(training.progress().seconds_left() == 4 * 10 + 4 * 1);
    training.progress().forget_pace();
    CHECK(training.progress().seconds_left() == std::nullopt);
}

}  // namespace progress_test
