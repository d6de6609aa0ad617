// What a training does when it is asked to, between two of its episodes: it trains a number w, in
// epochs of three batches.

#include "base/error.hpp"
#include "engine/train/trainer.hpp"
#include "support.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace trainer_requests_test {

using ptp::Value;
using namespace ptp::engine;

namespace {

using Change = std::function<void(ptp::experiment::Experiment&)>;

void with_validation(ptp::experiment::Experiment& experiment) {
    experiment.validation.emplace().name = "validation";
}

// A training that is asked after N episodes, within its epochs.
struct Bench {
    explicit Bench(const Change& change = with_validation) : training(folder.path(), change) {}

    void after(std::uint64_t episodes, const std::function<void(LiveTraining&)>& request) {
        training.live.serve = [=](LiveTraining& live, bool) {
            if (live.next_position().episode == episodes) {
                request(live);
            }
            return Boundary::kContinue;
        };
        Trainer trainer(training.parts());
        ended = trainer.train();
    }

    ptp::test::TempFolder folder;
    ptp::test::NumberTraining training;
    Status ended = Status::kRunning;
};

}  // namespace

TEST_CASE("trainer requests: before the first episode its status has no losses") {
    Bench bench;
    bench.after(0, [](const LiveTraining& live) {
        const Value table = live.status();
        CHECK(table.find("episode")->as_integer() == 0);
        CHECK(table.find("epoch")->as_integer() == 0);
        CHECK(table.find("losses")->members().empty());
        CHECK(table.find("learning_rates")->find("learning_rate")->as_real() == 0.1);
        CHECK(table.find("memory_bytes")->as_integer() > 0);
        CHECK(table.find("last") == nullptr);
        CHECK(table.find("best") == nullptr);
        CHECK(live.no_validation() == "nothing has been trained yet");
    });
}

TEST_CASE("trainer requests: its status has the position, the last loss and measurements") {
    Bench bench;
    bench.after(4, [](const LiveTraining& live) {
        const Value table = live.status();
        CHECK(table.find("episode")->as_integer() == 4);
        CHECK(table.find("epoch")->as_integer() == 2);
        CHECK(table.find("losses")->find("loss")->as_real() > 0);
        CHECK(table.find("last")->find("loss")->as_real() > 0);
        CHECK(table.find("best")->find("epoch")->as_integer() == 1);
        CHECK(live.next_position().epoch == 1);
        CHECK(live.next_position().batch == 1);
    });
}

TEST_CASE("trainer requests: after a swap with other tensors the best weights do not count") {
    for (const bool has_other_tensors : {false, true}) {
        Bench bench;
        bool was_there = false;
        bench.after(4, [&](LiveTraining& live) {
            live.save_now();  // the best weights were kept in memory until now
            was_there = std::filesystem::exists(bench.training.checkpoints.best());
            live.swapped(has_other_tensors);
            CHECK(std::filesystem::exists(bench.training.checkpoints.best()) != has_other_tensors);
        });
        CHECK(was_there);
        CHECK((bench.training.log.text.str().find(
                   "warning best checkpoint reset: it belongs to the older build\n") !=
               std::string::npos) == has_other_tensors);
    }
}

TEST_CASE("trainer requests: a training that may roll back is saved after a swap") {
    Bench bench([](ptp::experiment::Experiment& experiment) {
        experiment.training.bad_loss.action = "rollback";
    });
    bench.after(1, [&](LiveTraining& live) {
        live.swapped(false);
        CHECK(std::filesystem::read_symlink(bench.training.checkpoints.last()) ==
              "episode_0000000001");
    });
}

TEST_CASE("trainer requests: other limits of the experiment count at once") {
    Bench bench;
    bench.after(4, [&](LiveTraining& live) {
        bench.training.experiment.training.terminal_conditions.episode_limit = 5;
        live.experiment_changed();
    });
    CHECK(bench.ended == Status::kEpisodeLimit);
}

TEST_CASE("trainer requests: a validation on request measures the whole set") {
    Bench bench;
    bench.after(1, [](LiveTraining& live) {
        CHECK(live.no_validation().empty());
        // w = 0.6, and the loss is 2.4^2 = 5.76 plus (0 * 2 + 1 * 2 + 2 * 1) / 5 = 0.8.
        CHECK(live.validate_now() == "validation after 1 episode: loss 6.5600");
    });
    Bench several([](ptp::experiment::Experiment& experiment) {
        with_validation(experiment);
        experiment.other_validations.emplace_back().name = "validation.easy";
    });
    several.after(1, [](LiveTraining& live) {
        CHECK(live.validate_now() ==
              "validation after 1 episode: validation.easy  loss 6.5600; validation  loss 6.5600");
        ptp::test::interrupting_loss = 1;
        CHECK(!live.validate_now());
    });
    CHECK(several.ended == Status::kInterrupted);
}

TEST_CASE("trainer requests: why no validation is possible") {
    Bench bench([](ptp::experiment::Experiment&) {});
    bench.after(1, [](const LiveTraining& live) {
        CHECK(live.no_validation() == "the experiment has no [validation]");
    });
}

TEST_CASE("trainer requests: a learning rate is set in the optimization that is in use") {
    Bench bench;
    bench.after(1, [&](LiveTraining& live) {
        CHECK_THROWS_AS(live.check_group("tail"), ptp::RunError);
        live.set_learning_rate(0.0625, "");
        CHECK(bench.training.session->optimization->learning_rates() == std::vector{0.0625});
    });
}

TEST_CASE("trainer requests: a change of the experiment decides whether the training is over") {
    struct Case {
        const char* name;
        std::uint64_t episodes;
        std::int64_t epoch_limit;
        std::int64_t early_stop_validations;
        bool is_online;
        std::vector<double> losses;  // of the validations; the training began with a loss of 1
        Status expected;
    };
    const Case cases[] = {
        {"before the first epoch", 0, 0, 10, false, {}, Status::kRunning},
        {"within an epoch", 9, 2, 10, false, {}, Status::kRunning},
        {"at the limit", 8, 2, 10, false, {0.5}, Status::kEpochLimit},
        {"below the limit", 8, 3, 10, false, {0.5}, Status::kRunning},
        {"without a better loss", 8, 3, 1, false, {0.5, 0.6}, Status::kEarlyStopping},
        {"online, which judges elsewhere", 8, 3, 1, true, {0.5, 0.6}, Status::kRunning},
        {"online, at the limit", 8, 2, 1, true, {0.5, 0.6}, Status::kEpochLimit},
        {"far off at the limit", 8, 2, 10, false, {2000}, Status::kDiverged},
        {"far off below the limit", 8, 3, 10, false, {2000}, Status::kRunning}};
    for (const Case& c : cases) {
        CAPTURE(c.name);
        const ptp::test::TempFolder folder;
        ptp::test::NumberTraining training(folder.path(), [&](auto& experiment) {
            experiment.training.terminal_conditions.epoch_limit = c.epoch_limit;
            experiment.training.terminal_conditions.early_stop_validations =
                c.early_stop_validations;
            experiment.training.worker =
                c.is_online ? ptp::experiment::Worker::kOnline : ptp::experiment::Worker::kOffline;
        });
        ptp::engine::TrainerContext context(training.parts());
        context.state.episodes_done = c.episodes;
        context.state.epoch = c.episodes / 4;
        context.state.batches_done = c.episodes % 4;
        context.stop.trained(1);
        for (const double loss : c.losses) {
            context.stop.validated(loss);
        }
        CHECK(context.due_status() == c.expected);
    }
}

TEST_CASE("trainer requests: a limit that ended the training within an epoch is warned about") {
    for (const std::int64_t limit : {2, 3}) {
        const ptp::test::TempFolder folder;
        ptp::test::NumberTraining training(folder.path(), [&](auto& experiment) {
            experiment.training.terminal_conditions.episode_limit = limit;
        });
        Trainer trainer(training.parts());
        CHECK(trainer.train() == Status::kEpisodeLimit);
        training.log.text.str("");
        training.experiment.training.terminal_conditions.episode_limit = 6;
        trainer.experiment_changed();
        const char* const warning =
            "warning the limit ended the training within an epoch, which counts as a whole one: "
            "the numbers differ from a run that had the new limit from its start\n";
        CHECK((training.log.text.str().find(warning) != std::string::npos) == (limit == 2));
    }
}

}  // namespace trainer_requests_test
