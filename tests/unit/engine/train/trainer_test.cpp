// A whole training of one number, w, towards 3 by SGD: the loss is (w - 3)^2, so that each episode
// with the learning rate 0.1 multiplies its distance by 1 - 2 * 0.1 = 0.8.

#include "engine/train/trainer.hpp"

#include "support.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

namespace trainer_test {

using namespace ptp::engine;
using ptp::test::TempFolder;
using ptp::test::trained_number;

namespace {

// In a folder, where a training before it may have left checkpoints.
struct Training : ptp::test::NumberTraining {
    explicit Training(const std::filesystem::path& in, int epochs = 2)
        : NumberTraining(in, [&](ptp::experiment::Experiment& experiment) {
              experiment.training.terminal_conditions.epoch_limit = epochs;
              experiment.checkpoint.every_epochs = 1;
          }) {}

    Status train() {
        const Status status = trainer.train();
        records->finish();
        return status;
    }

    Trainer trainer{parts()};
};

double distance() {
    return 3 - trained_number.item<double>();
}

double distance_after(int episodes) {
    return 3 * std::pow(0.8, episodes);
}

}  // namespace

TEST_CASE("trainer: it trains epoch after epoch until a limit, and saves") {
    const TempFolder folder;
    Training training(folder.path());
    CHECK(training.train() == Status::kEpochLimit);
    CHECK(training.trainer.episodes_done() == 6);
    CHECK(distance() == doctest::Approx(distance_after(6)));
    CHECK(std::filesystem::exists(training.checkpoints.last() / "weights.safetensors"));
    // One for each checkpoint.
    CHECK(training.live.notes == std::vector<std::string>(2, "sync"));
    const std::string rows = folder.read("training.csv");
    CHECK(std::count(rows.begin(), rows.end(), '\n') == 1 + 6);
}

TEST_CASE("trainer: one that is interrupted continues with the same bits") {
    const TempFolder whole;
    Training(whole.path()).train();
    const float expected = trained_number.item<float>();

    const TempFolder folder;
    {
        Training training(folder.path());
        training.live.serve = [](const LiveTraining& live, bool) {
            return live.next_position().episode == 4 ? Boundary::kInterrupted : Boundary::kContinue;
        };
        CHECK(training.train() == Status::kInterrupted);
        CHECK(distance() == doctest::Approx(distance_after(4)));
    }
    Training training(folder.path());
    training.trainer.restore(training.checkpoints.last(), 0);
    CHECK(training.live.notes == std::vector<std::string>{"begin 3 4"});
    CHECK(training.trainer.episodes_done() == 4);
    CHECK(training.train() == Status::kEpochLimit);
    CHECK(trained_number.item<float>() == expected);
    CHECK(folder.read("training.csv") == whole.read("training.csv"));
}

TEST_CASE("trainer: where something needs a new pass it is asked again without one") {
    const TempFolder folder;
    Training training(folder.path());
    std::vector<std::uint64_t> without_pass;
    bool is_done = false;
    training.live.serve = [&](const LiveTraining& live, bool has_pass) {
        const std::uint64_t episode = live.next_position().episode;
        if (!has_pass) {
            without_pass.push_back(episode);
            is_done = true;
        }
        return episode == 1 && !is_done ? Boundary::kNewPass : Boundary::kContinue;
    };
    CHECK(training.train() == Status::kEpochLimit);
    CHECK(without_pass == std::vector<std::uint64_t>{1});
    CHECK(training.trainer.episodes_done() == 6);
    CHECK(distance() == doctest::Approx(distance_after(6)));
}

TEST_CASE("trainer: it serves requests between two episodes") {
    const TempFolder folder;
    Training training(folder.path(), 1);
    training.live.serve = [&](LiveTraining& live, bool) {
        if (live.next_position().episode != 1) {
            return Boundary::kContinue;
        }
        const ptp::Value table = live.status();
        CHECK(table.find("episode")->as_integer() == 1);
        CHECK(table.find("epoch")->as_integer() == 1);
        CHECK(table.find("losses")->find("loss")->as_real() == 9);
        live.save_now();
        CHECK(training.live.notes == std::vector<std::string>{"sync"});
        live.set_learning_rate(0, "");
        return Boundary::kContinue;
    };
    CHECK(training.train() == Status::kEpochLimit);
    CHECK(distance() == doctest::Approx(distance_after(1)));
}

TEST_CASE("trainer: a program waits before each episode, and can end the training") {
    struct Wait : ptp::engine::EpisodeWait {
        bool wait(LiveTraining& training) override { return training.next_position().episode < 2; }
    };
    const TempFolder folder;
    Training training(folder.path(), 1);
    Wait wait;
    ptp::engine::TrainerParts parts = training.parts();
    parts.wait = &wait;
    Trainer trainer(parts);
    CHECK(trainer.train() == Status::kInterrupted);
    CHECK(distance() == doctest::Approx(distance_after(2)));
}

}  // namespace trainer_test
